// SPDX-License-Identifier: MIT

import TestSupport

/// Just enough of HTTP/2 to ask for `/` and to read frames.
struct HTTP2Client {
    struct Frame {
        enum Kind: UInt8 {
            case data = 0
            case headers = 1
            case resetStream = 3
        }

        let kind: UInt8
        let flags: UInt8
        let stream: Int
        let payload: [UInt8]

        var endsStream: Bool {
            flags & 1 == 1
        }
    }

    /// `:status 200` from HPACK's static table.
    static let status200: UInt8 = 0x88

    let connection: LoopbackConnection

    /// Connects and sends the preface and empty settings.
    init(_ server: LoopbackServer) async throws {
        connection = try await LoopbackConnection.open(to: server, protocols: ["h2"])
        try await connection.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
        try await send(kind: 4, flags: 0, stream: 0, [])
    }

    /// Sends `GET https://localhost/`, from HPACK's static table but for the authority.
    func get(stream: Int) async throws {
        try await send(kind: 1, flags: 0x1 | 0x4, stream: stream, Self.headers(method: 0x82))
    }

    /// Sends the head of `POST https://localhost/`; its body is still to come.
    func startPost(stream: Int) async throws {
        try await send(kind: 1, flags: 0x4, stream: stream, Self.headers(method: 0x83))
    }

    /// Sends RST_STREAM with CANCEL.
    func cancel(stream: Int) async throws {
        try await send(kind: 3, flags: 0, stream: stream, [0, 0, 0, 8])
    }

    /// Returns the next frame of a kind on a stream.
    ///
    /// Earlier ones are dropped.
    func frame(_ kind: Frame.Kind, stream: Int) async throws -> Frame {
        while true {
            let frame = try await nextFrame()
            if frame.kind == kind.rawValue, frame.stream == stream {
                return frame
            }
        }
    }

    /// The body of a stream to its end; other frames are dropped.
    func body(stream: Int) async throws -> String {
        var bytes: [UInt8] = []
        while true {
            let frame = try await frame(.data, stream: stream)
            bytes += frame.payload
            if frame.endsStream {
                return String(decoding: bytes, as: UTF8.self)
            }
        }
    }

    private static func headers(method: UInt8) -> [UInt8] {
        let authority = Array("localhost".utf8)
        return [method, 0x87, 0x84, 0x01, UInt8(authority.count)] + authority
    }

    private func nextFrame() async throws -> Frame {
        let head = try await connection.receive(count: 9)
        let length = head[0..<3].reduce(0) { length, byte in length << 8 | Int(byte) }
        let stream = head[5..<9].reduce(0) { stream, byte in stream << 8 | Int(byte) }
        let payload = try await connection.receive(count: length)
        return Frame(kind: head[3], flags: head[4], stream: stream, payload: payload)
    }

    private func send(kind: UInt8, flags: UInt8, stream: Int, _ payload: [UInt8]) async throws {
        let number = [24, 16, 8, 0].map { shift in UInt8(truncatingIfNeeded: stream >> shift) }
        try await connection.send([0, 0, UInt8(payload.count), kind, flags] + number + payload)
    }
}
