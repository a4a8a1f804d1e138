// SPDX-License-Identifier: MIT

import NIOCore
import NIOFoundationEssentialsCompat
import RestClient
import RestEssentials

/// The client's side of the protocol (RFC 6455, sections 5 to 7): no lock, clock or I/O.
struct WebSocketStateMachine {
    enum Action: Equatable {
        case none
        case deliver(WebSocketMessage)
        case write(WireFrame)
        /// A ping with that payload was responded to.
        case ponged(ByteBuffer)
        /// Sends the frame, if there is one, ends with the closure, and closes the connection.
        case finish(WireFrame?, WebSocketClosure)
        case fail(WireFrame, WebSocketViolation)
    }

    private enum State {
        case open
        /// The close was sent; that of the server is awaited.
        case closing
        case closed
    }

    private struct Partial {
        let isText: Bool
        let isCompressed: Bool
        var payload: ByteBuffer
        var count: Int
    }

    private let messageLimit: Int
    private let fragmentLimit: Int
    /// Compresses messages; `nil` if that was not agreed on.
    private let codec: MessageCodec?
    private var state = State.open
    private var partial: Partial?

    init(messageLimit: Int, fragmentLimit: Int, codec: MessageCodec? = nil) {
        self.codec = codec
        self.messageLimit = messageLimit
        self.fragmentLimit = fragmentLimit
    }

    var isOpen: Bool { state == .open }
    var isClosed: Bool { state == .closed }

    // MARK: - From the server

    mutating func receive(_ frame: WireFrame) -> Action {
        guard state != .closed else {
            return .none
        }
        do throws(WebSocketViolation) {
            return try accept(frame)
        } catch {
            return violate(error)
        }
    }

    mutating func violate(_ violation: WebSocketViolation) -> Action {
        guard state != .closed else {
            return .none
        }
        state = .closed
        partial = nil
        return .fail(WireFrame(closing: violation.code, reason: violation.reason), violation)
    }

    /// Records that the connection has ended without a close of the server; true if the consumer does not know of an
    /// end yet.
    mutating func cut() -> Bool {
        defer { state = .closed }
        return state != .closed
    }

    // MARK: - From the program

    /// Takes a message to send, cut into fragments if it is longer than those may be; none if the connection is not
    /// open.
    mutating func send(_ message: WebSocketMessage, fragmentSize: Int?) -> [WireFrame] {
        guard state == .open else {
            return []
        }
        let opcode: UInt8
        var payload: ByteBuffer
        switch message {
        case .text(let text): (opcode, payload) = (WireFrame.Opcode.text, ByteBuffer(string: text))
        case .binary(let bytes): (opcode, payload) = (WireFrame.Opcode.binary, ByteBuffer(data: bytes))
        }
        let compressed = codec?.compress(payload)
        payload = compressed ?? payload
        let size = min(max(1, fragmentSize ?? .max), Int(UInt32.max))
        var frames: [WireFrame] = []
        repeat {
            let part = payload.readSlice(length: min(size, payload.readableBytes)) ?? ByteBuffer()
            let opcode = frames.isEmpty ? opcode : WireFrame.Opcode.continuation
            frames.append(WireFrame(opcode, part, isFinal: payload.readableBytes == 0))
        } while payload.readableBytes > 0
        frames[0].isCompressed = compressed != nil
        return frames
    }

    /// Takes the wish to close; `nil` if a close was sent already.
    mutating func close(_ code: WebSocketCloseCode, reason: String) -> WireFrame? {
        guard state == .open else {
            return nil
        }
        state = .closing
        partial = nil
        return WireFrame(closing: code, reason: reason)
    }

    /// Takes the leave of the consumer; the connection is closed behind the frame, if one can be sent.
    mutating func abandon() -> WireFrame? {
        defer { state = .closed }
        return close(.goingAway, reason: "")
    }

    // MARK: - Rules

    private mutating func accept(_ frame: WireFrame) throws(WebSocketViolation) -> Action {
        let isFirst = frame.opcode == WireFrame.Opcode.text || frame.opcode == WireFrame.Opcode.binary
        guard !frame.hasReservedBits, !frame.isCompressed || codec != nil && isFirst else {
            throw .protocolError("a frame has reserved bits, and no extension was agreed on that gives them a meaning")
        }
        guard !frame.isMasked else {
            throw .protocolError("a frame of the server is masked")
        }
        switch frame.opcode {
        case WireFrame.Opcode.continuation, WireFrame.Opcode.text, WireFrame.Opcode.binary:
            // Nobody reads behind a close.
            return state == .closing ? .none : try data(frame)
        case WireFrame.Opcode.close, WireFrame.Opcode.ping, WireFrame.Opcode.pong:
            guard frame.isFinal else {
                throw .protocolError("a control frame is fragmented")
            }
            guard frame.payload.readableBytes <= 125 else {
                throw .protocolError("a control frame has more than 125 bytes")
            }
            return try control(frame)
        default:
            throw .protocolError("a frame has the unknown opcode \(frame.opcode)")
        }
    }

    private mutating func control(_ frame: WireFrame) throws(WebSocketViolation) -> Action {
        switch frame.opcode {
        case WireFrame.Opcode.ping:
            return state == .closing ? .none : .write(WireFrame(WireFrame.Opcode.pong, frame.payload))
        case WireFrame.Opcode.pong:
            return .ponged(frame.payload)
        default:
            let isByServer = state == .open
            let closure = try Self.closure(frame.payload, isByServer: isByServer)
            state = .closed
            partial = nil
            // A close without a code is returned as it came.
            return .finish(isByServer ? WireFrame(closing: closure.code, reason: "") : nil, closure)
        }
    }

    private mutating func data(_ frame: WireFrame) throws(WebSocketViolation) -> Action {
        let isContinuation = frame.opcode == WireFrame.Opcode.continuation
        guard isContinuation == (partial != nil) else {
            throw .protocolError(
                isContinuation ? "a continuation has no beginning" : "a message begins within another one"
            )
        }
        guard frame.payload.readableBytes <= messageLimit - (partial?.payload.readableBytes ?? 0) else {
            throw .tooLarge("a message of more than \(messageLimit) bytes")
        }
        var message: Partial
        if let begun = partial.take() {
            var payload = frame.payload
            message = begun
            message.count += 1
            message.payload.writeBuffer(&payload)
        } else {
            message = Partial(
                isText: frame.opcode == WireFrame.Opcode.text,
                isCompressed: frame.isCompressed,
                payload: frame.payload,
                count: 1
            )
        }
        guard frame.isFinal else {
            guard message.count < fragmentLimit else {
                throw .tooLarge("a message of more than \(fragmentLimit) fragments")
            }
            partial = message
            return .none
        }
        if message.isCompressed, let codec {
            message.payload = try codec.decompress(message.payload, limit: messageLimit)
        }
        guard message.isText else {
            return .deliver(.binary(Data(buffer: message.payload)))
        }
        guard let text = String(validating: message.payload.readableBytesView, as: UTF8.self) else {
            throw .invalidText("a text is not valid UTF-8")
        }
        return .deliver(.text(text))
    }

    private static func closure(_ payload: ByteBuffer, isByServer: Bool) throws(WebSocketViolation) -> WebSocketClosure
    {
        var payload = payload
        guard payload.readableBytes > 0 else {
            return WebSocketClosure(.noStatus, isByServer: isByServer)
        }
        guard let number = payload.readInteger(as: UInt16.self) else {
            throw .protocolError("a close has half a code")
        }
        let code = WebSocketCloseCode(rawValue: number)
        guard code.canBeSent else {
            throw .protocolError("a close has the invalid code \(number)")
        }
        guard let reason = String(validating: payload.readableBytesView, as: UTF8.self) else {
            throw .invalidText("the reason of a close is not valid UTF-8")
        }
        return WebSocketClosure(code, reason: reason, isByServer: isByServer)
    }
}

struct WireFrame: Equatable {
    /// The kinds of frames (RFC 6455, section 5.2).
    enum Opcode {
        static let continuation: UInt8 = 0x0
        static let text: UInt8 = 0x1
        static let binary: UInt8 = 0x2
        static let close: UInt8 = 0x8
        static let ping: UInt8 = 0x9
        static let pong: UInt8 = 0xA
    }

    var isFinal = true
    /// True if the payload is that of a compressed message, or its beginning (RFC 7692): the first reserved bit.
    var isCompressed = false
    /// True if one of the other bits is set that only extensions use.
    var hasReservedBits = false
    var opcode: UInt8
    var isMasked = false
    var payload: ByteBuffer

    init(_ opcode: UInt8, _ payload: ByteBuffer = ByteBuffer(), isFinal: Bool = true) {
        self.opcode = opcode
        self.payload = payload
        self.isFinal = isFinal
    }

    /// Creates a close frame, whose reason is cut to the 123 bytes that fit, between two characters.
    init(closing code: WebSocketCloseCode, reason: String) {
        var payload = ByteBuffer()
        if code.canBeSent {
            payload.writeInteger(code.rawValue)
            var reason = reason[...]
            while reason.utf8.count > 123 {
                reason.removeLast()
            }
            payload.writeSubstring(reason)
        }
        self.init(Opcode.close, payload)
    }
}

/// A violation of the protocol by the server, and the code with which the connection is closed.
struct WebSocketViolation: Error, Equatable {
    let code: WebSocketCloseCode
    let reason: String

    static func protocolError(_ reason: String) -> Self { Self(code: .protocolError, reason: reason) }
    static func invalidText(_ reason: String) -> Self { Self(code: .invalidText, reason: reason) }
    static func tooLarge(_ reason: String) -> Self { Self(code: .messageTooLarge, reason: reason) }

    var error: RestClientError {
        let closure = WebSocketClosure(code, reason: reason, isByServer: false)
        return code == .messageTooLarge
            ? RestClientError(
                .messageTooLarge,
                "the server sent \(reason); raise the limit with .webSocketOptions(_:)",
                underlying: closure
            )
            : RestClientError(
                .webSocketViolated,
                "the server broke the WebSocket protocol: \(reason)",
                underlying: closure
            )
    }
}
