// SPDX-License-Identifier: MIT

import NIOCore
import Synchronization

@testable import RestClientWebSocket

/// One connection of a ``FrameServer``: bytes in, bytes out.
final class FrameConnection: Sendable {
    /// The client has gone.
    struct Ended: Error {}

    /// A frame of the client.
    struct Frame: Equatable {
        var isFinal = true
        var opcode: UInt8
        var isMasked = true
        var payload: [UInt8]

        var text: String { String(decoding: payload, as: UTF8.self) }
        /// The code of a close.
        var code: Int? { payload.count < 2 ? nil : Int(payload[0]) << 8 | Int(payload[1]) }
    }

    private struct Input {
        var bytes = ByteBuffer()
        var isEnded = false
        var hasStopped = false
        /// The number of bytes that the script has found to be too few.
        var seen = 0
        /// The script, which waits for input.
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let output: NIOAsyncChannelOutboundWriter<ByteBuffer>
    private let input = Mutex(Input())

    init(_ output: NIOAsyncChannelOutboundWriter<ByteBuffer>) {
        self.output = output
    }

    func receive(_ bytes: ByteBuffer) {
        change { input in
            var bytes = bytes
            input.bytes.writeBuffer(&bytes)
        }
    }

    /// Reads nothing more from the socket than what is under way.
    func stopReading() {
        input.withLock { $0.hasStopped = true }
    }

    /// True once nothing more is to be read from the socket.
    var hasStopped: Bool { input.withLock { $0.hasStopped } }

    func end() {
        change { $0.isEnded = true }
    }

    private func change(_ change: (inout Input) -> Void) {
        let waiter = input.withLock { input in
            change(&input)
            defer { input.waiter = nil }
            return input.waiter
        }
        waiter?.resume()
    }

    /// Waits for input until something can be made of it; the script alone does so.
    private func wait<Result: Sendable>(for take: @Sendable (inout Input) throws -> Result?) async throws -> Result {
        while true {
            if let result = try input.withLock({ try take(&$0) }) {
                return result
            }
            await withCheckedContinuation { continuation in
                let isChanged = input.withLock { input in
                    // Input may have come since it was looked at: look again.
                    guard input.isEnded || input.bytes.readableBytes != input.seen else {
                        input.waiter = continuation
                        return false
                    }
                    return true
                }
                if isChanged {
                    continuation.resume()
                }
            }
        }
    }

    /// Waits for a number of bytes.
    func read(_ count: Int) async throws -> [UInt8] {
        try await wait { input in
            if let bytes = input.bytes.readBytes(length: count) {
                return bytes
            }
            guard !input.isEnded else {
                throw Ended()
            }
            input.seen = input.bytes.readableBytes
            return nil
        }
    }

    /// Waits until the client has closed the connection.
    func waitForEnd() async throws {
        try await wait { input in
            input.bytes.clear()
            input.seen = 0
            return input.isEnded ? () : nil
        }
    }

    func write(_ bytes: [UInt8]) async throws {
        try await output.write(ByteBuffer(bytes: bytes))
    }

    func write(_ text: String) async throws {
        try await write(Array(text.utf8))
    }

    // MARK: - HTTP

    /// Reads a head up to its empty line.
    func readHead() async throws -> String {
        var head = ""
        while !head.hasSuffix("\r\n\r\n") {
            head += String(decoding: try await read(1), as: UTF8.self)
        }
        return head
    }

    /// Reads the request of a handshake, and agrees.
    ///
    /// - Parameters:
    ///   - early: Bytes that follow the response at once.
    ///   - change: Changes the lines of the response.
    /// - Returns: The head of the request.
    /// - Throws: ``Ended`` if the client has gone.
    @discardableResult
    func handshake(early: [UInt8] = [], _ change: (inout [String]) -> Void = { _ in }) async throws -> String {
        let head = try await readHead()
        var lines = [
            "HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade",
            "Sec-WebSocket-Accept: \(HandshakeRules.accept(for: Self.field("Sec-WebSocket-Key", in: head) ?? ""))",
        ]
        change(&lines)
        try await write(Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + early)
        return head
    }

    static func field(_ name: String, in head: String) -> String? {
        head.split(separator: "\r\n")
            .first { $0.lowercased().hasPrefix(name.lowercased() + ":") }
            .map { $0.dropFirst(name.count + 1).trimmingPrefix(" ") }
            .map(String.init)
    }

    // MARK: - Frames

    /// Reads a frame.
    func readFrame() async throws -> Frame {
        let head = try await read(2)
        var length = Int(head[1] & 0x7F)
        if length == 126 {
            length = try await read(2).reduce(0) { $0 << 8 | Int($1) }
        } else if length == 127 {
            length = try await read(8).reduce(0) { $0 << 8 | Int($1) }
        }
        let isMasked = head[1] & 0x80 != 0
        let mask = isMasked ? try await read(4) : [0, 0, 0, 0]
        let payload = try await read(length)
        return Frame(
            isFinal: head[0] & 0x80 != 0,
            opcode: head[0] & 0x0F,
            isMasked: isMasked,
            payload: payload.enumerated().map { $1 ^ mask[$0 % 4] }
        )
    }

    /// Returns the bytes of a frame of a server.
    static func frame(_ opcode: UInt8, _ payload: [UInt8] = [], isFinal: Bool = true, bits: UInt8 = 0) -> [UInt8] {
        var bytes = [(isFinal ? 0x80 : 0) | bits | opcode]
        switch payload.count {
        case ...125: bytes.append(UInt8(payload.count))
        case ...65_535: bytes += [126, UInt8(payload.count >> 8), UInt8(payload.count & 255)]
        default: bytes += [127] + (0..<8).reversed().map { UInt8(payload.count >> ($0 * 8) & 255) }
        }
        return bytes + payload
    }

    static func text(_ text: String, isFinal: Bool = true) -> [UInt8] { frame(1, Array(text.utf8), isFinal: isFinal) }

    static func close(_ code: Int, _ reason: String = "") -> [UInt8] {
        frame(8, [UInt8(code >> 8), UInt8(code & 255)] + Array(reason.utf8))
    }

    /// Sends a close, and waits for the client's.
    func close(_ code: Int, _ reason: String = "") async throws {
        try await write(Self.close(code, reason))
        while try await readFrame().opcode != 8 {}
    }

    /// Sends back what comes, up to the close.
    func echo() async throws {
        while true {
            let frame = try await readFrame()
            switch frame.opcode {
            case 8:
                try await write(Self.frame(8, frame.payload))
                return
            case 9: try await write(Self.frame(10, frame.payload))
            default: try await write(Self.frame(frame.opcode, frame.payload, isFinal: frame.isFinal))
            }
        }
    }
}
