// SPDX-License-Identifier: MIT

import NIOCore
import RestEssentials
import SeededRandom
import Testing

@testable import RestClientWebSocket

/// The rules of the protocol, frame by frame.
@Suite
struct WebSocketStateMachineTests {
    private func machine(messageLimit: Int = 64, fragmentLimit: Int = 4) -> WebSocketStateMachine {
        WebSocketStateMachine(messageLimit: messageLimit, fragmentLimit: fragmentLimit)
    }

    private static func frame(_ opcode: UInt8, _ bytes: [UInt8] = [], isFinal: Bool = true) -> WireFrame {
        WireFrame(opcode, ByteBuffer(bytes: bytes), isFinal: isFinal)
    }

    private static func frame(_ opcode: UInt8, _ text: String, isFinal: Bool = true) -> WireFrame {
        frame(opcode, Array(text.utf8), isFinal: isFinal)
    }

    /// Frames, and what comes of the last one.
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let frames: [WireFrame]
        let action: WebSocketStateMachine.Action

        var testDescription: String { name }
    }

    static let deliveries: [Row] = [
        Row(name: "a text", frames: [frame(1, "hä")], action: .deliver(.text("hä"))),
        Row(name: "an empty text", frames: [frame(1)], action: .deliver(.text(""))),
        Row(name: "bytes", frames: [frame(2, [0, 255])], action: .deliver(.binary(Data([0, 255])))),
        Row(name: "empty bytes", frames: [frame(2)], action: .deliver(.binary(Data()))),
        Row(
            name: "a text in fragments, cut within a character",
            frames: [frame(1, [0x68, 0xC3], isFinal: false), frame(0, [], isFinal: false), frame(0, [0xA4])],
            action: .deliver(.text("hä"))
        ),
        Row(
            name: "bytes in fragments, with a ping and a pong in between",
            frames: [
                frame(2, [1], isFinal: false), frame(9, "p"), frame(10), frame(0, [2], isFinal: false), frame(9),
                frame(0, [3]),
            ],
            action: .deliver(.binary(Data([1, 2, 3])))
        ),
        Row(name: "a ping", frames: [frame(9, "abc")], action: .write(frame(10, "abc"))),
        Row(
            name: "the longest ping",
            frames: [frame(9, [UInt8](repeating: 7, count: 125))],
            action: .write(frame(10, [UInt8](repeating: 7, count: 125)))
        ),
        Row(name: "a pong", frames: [frame(10, "abc")], action: .ponged(ByteBuffer(string: "abc"))),
        Row(
            name: "a message of the longest length",
            frames: [frame(2, [UInt8](repeating: 1, count: 64))],
            action: .deliver(.binary(Data(repeating: 1, count: 64)))
        ),
        Row(
            name: "a message of the most fragments",
            frames: [frame(2, isFinal: false), frame(0, isFinal: false), frame(0, isFinal: false), frame(0)],
            action: .deliver(.binary(Data()))
        ),
    ]

    @Test(arguments: deliveries)
    func `valid frames are messages, pongs and signs of life`(row: Row) {
        var machine = machine()
        var last = WebSocketStateMachine.Action.none

        for frame in row.frames {
            last = machine.receive(frame)
        }

        #expect(last == row.action)
        #expect(machine.isOpen)
    }

    static let closures: [Row] = [
        (nil, "", WebSocketCloseCode.noStatus),
        (1000, "", .normal), (1000, "bye", .normal), (1001, "", .goingAway), (1003, "", .unsupportedData),
        (1007, "", .invalidText), (1011, "", .internalError), (1014, "", .badGateway), (3000, "", 3000),
        (4999, "für dich", 4999),
    ]
    .map { (number: UInt16?, reason: String, code: WebSocketCloseCode) in
        let bytes = number.map { [UInt8($0 >> 8), UInt8($0 & 255)] + Array(reason.utf8) } ?? []
        let reply = number.map { [UInt8($0 >> 8), UInt8($0 & 255)] } ?? []
        return Row(
            name: "a close with \(number.map(String.init) ?? "no code") '\(reason)'",
            frames: [frame(8, bytes)],
            action: .finish(frame(8, reply), WebSocketClosure(code, reason: reason, isByServer: true))
        )
    }

    @Test(arguments: closures)
    func `a close is responded to with its code`(row: Row) {
        var machine = machine()

        #expect(machine.receive(row.frames[0]) == row.action)
        #expect(machine.isClosed)
        #expect(machine.receive(Self.frame(1, "late")) == .none)
        #expect(machine.send(.text("late"), fragmentSize: nil).isEmpty)
    }

    /// Frames that break a rule, and the code of the close.
    static let violations: [(name: String, frames: [WireFrame], code: WebSocketCloseCode)] = [
        ("the opcode 3", [frame(3)], .protocolError),
        ("the opcode 7", [frame(7, "x")], .protocolError),
        ("the opcode 11", [frame(11)], .protocolError),
        ("the opcode 15", [frame(15)], .protocolError),
        ("a continuation without a beginning", [frame(0, "x")], .protocolError),
        ("a final continuation behind a message", [frame(1, "x"), frame(0)], .protocolError),
        ("a text within a text", [frame(1, "x", isFinal: false), frame(1, "y")], .protocolError),
        ("bytes within a text", [frame(1, "x", isFinal: false), frame(2, "y", isFinal: false)], .protocolError),
        ("a fragmented ping", [frame(9, isFinal: false)], .protocolError),
        ("a fragmented close", [frame(8, isFinal: false)], .protocolError),
        ("a ping of 126 bytes", [frame(9, [UInt8](repeating: 0, count: 126))], .protocolError),
        ("a close with half a code", [frame(8, [3])], .protocolError),
        ("invalid text", [frame(1, [0xFF])], .invalidText),
        ("a surrogate", [frame(1, [0xED, 0xA0, 0x80])], .invalidText),
        ("an overlong form", [frame(1, [0xC0, 0xAF])], .invalidText),
        ("a text that ends within a character", [frame(1, [0x68], isFinal: false), frame(0, [0xC3])], .invalidText),
        ("a reason that is no text", [frame(8, [3, 232, 0xFF])], .invalidText),
        ("a message that is too long", [frame(2, [UInt8](repeating: 0, count: 65))], .messageTooLarge),
        (
            "fragments that are too long together",
            [frame(2, [UInt8](repeating: 0, count: 60), isFinal: false), frame(0, "12345")], .messageTooLarge
        ),
        (
            "too many fragments",
            [frame(2, isFinal: false), frame(0, isFinal: false), frame(0, isFinal: false), frame(0, isFinal: false)],
            .messageTooLarge
        ),
    ]

    @Test(arguments: violations.indices)
    func `what breaks a rule closes with its code`(index: Int) {
        let row = Self.violations[index]
        var machine = machine()
        var last = WebSocketStateMachine.Action.none

        for frame in row.frames {
            last = machine.receive(frame)
        }

        guard case .fail(let close, let violation) = last else {
            Issue.record("\(row.name): \(last)")
            return
        }
        #expect(violation.code == row.code, "\(row.name)")
        #expect(close.payload.getInteger(at: close.payload.readerIndex, as: UInt16.self) == row.code.rawValue)
        #expect(close.payload.readableBytes <= 125)
        #expect(machine.isClosed)
        #expect(machine.receive(Self.frame(1, "late")) == .none)
    }

    @Test
    func `reserved bits and masks of the server are refused`() {
        for isMasked in [true, false] {
            var machine = machine()
            var frame = Self.frame(1, "x")
            frame.isMasked = isMasked
            frame.hasReservedBits = !isMasked

            guard case .fail(_, let violation) = machine.receive(frame) else {
                Issue.record("accepted")
                continue
            }
            #expect(violation.code == .protocolError)
        }
    }

    @Test
    func `a close has a code that may be sent, or is refused`() {
        for number in UInt16.min...UInt16.max {
            var machine = machine()
            let isValid =
                (1000...1003).contains(number) || (1007...1014).contains(number) || (3000...4999).contains(number)

            let action = machine.receive(Self.frame(8, [UInt8(number >> 8), UInt8(number & 255)]))

            switch action {
            case .finish(_, let closure): #expect(isValid && closure.code.rawValue == number, "\(number)")
            case .fail(_, let violation): #expect(!isValid && violation.code == .protocolError, "\(number)")
            default: Issue.record("\(number): \(action)")
            }
        }
    }

    @Test
    func `behind an own close, messages are dropped until the server's close`() {
        var machine = machine()
        _ = machine.receive(Self.frame(1, "half", isFinal: false))

        #expect(machine.close(3001, reason: "done") == Self.frame(8, [11, 185] + Array("done".utf8)))
        #expect(machine.close(.normal, reason: "") == nil)
        #expect(machine.receive(Self.frame(0, "rest")) == .none)
        #expect(machine.receive(Self.frame(1, "more")) == .none)
        #expect(machine.receive(Self.frame(9)) == .none)
        let closure = WebSocketClosure(3001, isByServer: false)
        #expect(machine.receive(Self.frame(8, [11, 185])) == .finish(nil, closure))
        #expect(machine.isClosed)
    }

    @Test
    func `a reason is cut to what fits, between two characters`() {
        var machine = machine()

        let close = machine.close(.normal, reason: String(repeating: "ä", count: 100))

        #expect(close?.payload.readableBytes == 2 + 122)
    }

    @Test
    func `a code that must not be sent is left out`() {
        for code in [WebSocketCloseCode.noStatus, .abnormal, 1015, 999, 5000] {
            var machine = machine()
            #expect(machine.close(code, reason: "why") == Self.frame(8))
        }
    }

    @Test
    func `a cut is told once`() {
        var machine = machine()

        let cuts = [machine.cut(), machine.cut()]

        #expect(cuts == [true, false])
        #expect(machine.abandon() == nil)
    }

    @Test(arguments: [(5, nil as Int?, [5]), (5, 2, [2, 2, 1]), (4, 2, [2, 2]), (0, 2, [0]), (3, 0, [1, 1, 1])])
    func `a message is cut into fragments of a size`(length: Int, size: Int?, lengths: [Int]) {
        var machine = machine()

        let frames = machine.send(.binary(Data(repeating: 1, count: length)), fragmentSize: size)

        #expect(frames.map(\.payload.readableBytes) == lengths)
        #expect(frames.map(\.opcode) == [2] + [UInt8](repeating: 0, count: lengths.count - 1))
        #expect(frames.map(\.isFinal) == [Bool](repeating: false, count: lengths.count - 1) + [true])
    }

    /// Whatever comes, the machine ends at most once, and delivers nothing behind its end.
    @Test(arguments: UInt64(0)..<64)
    func `random frames never deliver behind the end`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var machine = machine()
        var ends = 0
        for _ in 0..<200 {
            var frame = Self.frame(
                [0, 0, 1, 2, 8, 9, 10, 3].randomElement(using: &random) ?? 0,
                (0..<Int.random(in: 0...4, using: &random)).map { _ in UInt8.random(in: 0...127, using: &random) },
                isFinal: Bool.random(using: &random)
            )
            frame.hasReservedBits = Int.random(in: 0..<50, using: &random) == 0
            let hadEnded = machine.isClosed
            let action = machine.receive(frame)
            switch action {
            case .none: break
            case .finish, .fail: ends += 1
            case .deliver, .write, .ponged: #expect(!hadEnded)
            }
        }
        #expect(ends <= 1)
        #expect(machine.isClosed == (ends == 1))
    }
}
