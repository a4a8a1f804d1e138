// SPDX-License-Identifier: MIT

import HTTPTypes
import NIOCore
import NIOHPACK
import RestEssentials

@testable import HTTPWire

/// The client's side of a connection, with a server for which a test speaks.
struct HTTP2Peer {
    var machine: HTTP2StateMachine
    /// The time, which a test lets pass.
    var now = NIODeadline.uptimeNanoseconds(1 << 40)
    private(set) var defect: HTTP2Defect?
    private var encoder = HPACKEncoder(allocator: ByteBufferAllocator())
    private var decoder = HPACKDecoder(allocator: ByteBufferAllocator())

    /// Creates a connection whose settings have come.
    init(settings: [(HTTP2Setting, Int)] = [], _ limits: ResponseParser.Limits = ResponseParser.Limits()) {
        machine = HTTP2StateMachine(isSecure: true, limits: limits)
        _ = say([.settings(settings)])
        _ = machine.takeOutput()
    }

    static func request(_ method: String = "GET", fields: HTTPFields = [:]) throws -> WireRequest {
        try WireRequest(method: method, target: "/", host: "a.test", fields: fields, body: nil)
    }

    /// Begins a stream, and forgets what goes out for it.
    mutating func start(_ method: String = "GET", hasBody: Bool = false) throws -> Int {
        defer { _ = machine.takeOutput() }
        return try machine.start(Self.request(method), hasBody: hasBody)
    }

    /// Lets the server do some steps, and returns what they mean, in words.
    mutating func say(_ steps: [FrameServer.Step], on stream: Int = 1) -> [String] {
        var bytes = ByteBuffer()
        for step in steps {
            step.write(to: &bytes, stream: stream, &encoder)
        }
        return receive(bytes)
    }

    /// Lets bytes come, and returns what they mean, in words; the last one is the rule that they break.
    mutating func receive(_ bytes: ByteBuffer) -> [String] {
        var events: [HTTP2StateMachine.Event] = []
        do throws(HTTP2Defect) {
            try machine.receive(bytes, at: now, into: &events)
        } catch {
            defect = error
        }
        return events.map(Self.words) + (defect.map { ["broken: \($0)"] } ?? [])
    }

    private static func words(_ event: HTTP2StateMachine.Event) -> String {
        switch event {
        case .interim(let stream, let head): "\(stream) interim \(head.status)"
        case .head(let stream, let fields): "\(stream) head \(fields.head?.status ?? 0)"
        case .body(let stream, let bytes): "\(stream) body \(bytes.readableBytes)"
        case .end(let stream): "\(stream) end"
        case .fault(let stream, .malformed(let defect)): "\(stream) malformed: \(defect)"
        case .fault(let stream, let fault): "\(stream) \(fault.name)"
        case .room: "room"
        case .streamLimit: "limit"
        case .goAway: "goAway"
        case .http1Required: "http1"
        }
    }

    /// Takes the frames that the client sends, in words.
    mutating func sent(isWritable: Bool = true) -> [String] {
        var reader = HTTP2FrameReader()
        reader.append(machine.takeOutput(isWritable: isWritable) ?? ByteBuffer())
        var frames: [String] = []
        while let frame = try? reader.next() {
            frames.append(words(frame))
        }
        return frames
    }

    private mutating func words(_ frame: HTTP2Frame) -> String {
        switch frame {
        case .data(let stream, let bytes, _, let ends):
            return "\(stream) data \(bytes.readableBytes)\(ends ? " end" : "")"
        case .headers(let stream, let bytes, _, let ends):
            var bytes = bytes
            let fields = (try? decoder.decodeHeaders(from: &bytes)) ?? HPACKHeaders()
            let text = fields.filter { !$0.name.hasPrefix(":") }.map { "\($0.name)=\($0.value)" }.joined(separator: " ")
            return "\(stream) head \(text)\(ends ? " end" : "")"
        case .continuation(let stream, _, _): return "\(stream) continuation"
        case .reset(let stream, let code): return "\(stream) reset \(code.rawValue)"
        case .settings: return "settings"
        case .settingsAcknowledged: return "acknowledged"
        case .ping(_, let isReply): return isReply ? "pong" : "ping"
        case .goAway(_, let code): return "goAway \(code.rawValue)"
        case .windowUpdate(let stream, let increment): return "\(stream) window \(increment)"
        case .ignored: return "ignored"
        }
    }
}

extension ByteBuffer {
    /// Returns a frame with any payload.
    static func frame(
        _ kind: HTTP2Frame.Kind,
        _ flags: HTTP2Frame.Flags = [],
        stream: Int = 0,
        payload: [UInt8] = []
    ) -> ByteBuffer {
        var bytes = ByteBuffer()
        bytes.writeFrameHead(kind, flags, stream: stream, size: payload.count)
        bytes.writeBytes(payload)
        return bytes
    }

    /// Returns the bytes, several times.
    func repeated(_ count: Int) -> ByteBuffer {
        var bytes = ByteBuffer()
        for _ in 0..<count {
            bytes.writeImmutableBuffer(self)
        }
        return bytes
    }
}
