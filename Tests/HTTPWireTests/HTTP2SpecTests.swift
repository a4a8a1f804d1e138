// SPDX-License-Identifier: MIT

import NIOCore
import Testing

@testable import HTTPWire

/// The cases that h2spec has for clients, and those of RFC 9113 besides: the frames of a server, and the reaction.
///
/// A request for `/` is under way on stream 1. That GOAWAY goes out and the connection ends is tested over sockets, in
/// `HTTP2ConnectionTests`.
@Suite
struct HTTP2SpecTests {
    /// The thing that a client does about frames.
    enum Reaction: Sendable {
        /// The connection ends with this code.
        case goAway(HTTP2Reason)
        /// The stream ends with this code, and the connection goes on.
        case reset(HTTP2Reason)
        /// The frames say nothing of the request, which then gets its response; the frames of the client are these.
        case ignored([String] = [])
        /// The frames have this meaning, in words, and the client sends nothing.
        case means([String])
    }

    struct Row: Sendable, CustomStringConvertible {
        let section: String
        let name: String
        /// True if the body of the request is still to be sent.
        let isUpload: Bool
        let steps: [FrameServer.Step]
        let reaction: Reaction

        init(
            _ section: String,
            _ name: String,
            isUpload: Bool = false,
            _ steps: [FrameServer.Step],
            _ reaction: Reaction
        ) {
            self.section = section
            self.name = name
            self.isUpload = isUpload
            self.steps = steps
            self.reaction = reaction
        }

        var description: String { "\(section) \(name)\(isUpload ? ", in an upload" : "")" }
    }

    private static let head: FrameServer.Step = .head([(":status", "200")])
    private static let wholeHead: FrameServer.Step = .head([(":status", "200")], ends: true)
    private static let largestWindow = 2_147_483_647
    private static let ping: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0]
    /// A field that goes into no table.
    private static let field: [UInt8] = [0, 1, 0x61, 1, 0x62]

    private static func frame(
        _ kind: HTTP2Frame.Kind,
        _ flags: HTTP2Frame.Flags = [],
        on stream: Int = 0,
        _ payload: [UInt8] = []
    ) -> FrameServer.Step {
        .raw(.frame(kind, flags, stream: stream, payload: payload))
    }

    private static func bytes(_ head: [UInt8], _ payload: [UInt8] = []) -> FrameServer.Step {
        .raw(ByteBuffer(bytes: head + payload))
    }

    private static func block(_ bytes: [UInt8]) -> FrameServer.Step {
        frame(.headers, .endsBlock, on: 1, bytes)
    }

    // MARK: - Frames and streams

    private static let framing: [Row] = [
        Row("4.1", "an unknown kind", [bytes([0, 0, 8, 0x16, 0, 0, 0, 0, 0], ping)], .ignored()),
        Row("4.1", "an unknown kind on a stream", [bytes([0, 0, 0, 0x16, 0xFF, 0, 0, 0, 9])], .ignored()),
        Row("4.1", "unknown flags", [bytes([0, 0, 8, 6, 0x16, 0, 0, 0, 0], ping)], .ignored(["pong"])),
        Row("4.1", "the reserved bit", [bytes([0, 0, 8, 6, 0, 0x80, 0, 0, 0], ping)], .ignored(["pong"])),
        Row(
            "4.2",
            "DATA of 2^14 bytes",
            [head, .data(String(repeating: "x", count: 16_384), ends: true)],
            .means(["1 head 200", "1 body 16384", "1 end"])
        ),
        Row("4.2", "DATA too long", [head, .data(String(repeating: "x", count: 16_385))], .goAway(.frameSize)),
        Row("4.2", "HEADERS too long", [block([UInt8](repeating: 0x88, count: 16_385))], .goAway(.frameSize)),
        Row("4.2", "an unknown kind too long", [bytes([0, 0x40, 1, 0x16, 0, 0, 0, 0, 0])], .goAway(.frameSize)),
        Row("4.3", "a block that is cut", [block([0x40])], .goAway(.compression)),
        Row("4.3", "an index of zero", [block([0x80])], .goAway(.compression)),
        Row("4.3", "an index beyond the table", [block([0xBE])], .goAway(.compression)),
        Row("4.3", "a table beyond 4,096 bytes", [block([0x3F, 0xE2, 0x1F, 0x88])], .goAway(.compression)),
        Row("4.3", "a size of the table behind a field", [block([0x88, 0x20])], .goAway(.compression)),
        Row(
            "4.3",
            "a block within a block",
            [frame(.headers, on: 1, [0x88]), frame(.headers, .endsBlock, on: 3, [0x88])],
            .goAway(.protocolError)
        ),
        Row("5.1", "DATA on an idle stream", [frame(.data, .endsStream, on: 3, [1])], .goAway(.protocolError)),
        Row("5.1", "HEADERS on an idle stream", [frame(.headers, .endsBlock, on: 3, [0x88])], .goAway(.protocolError)),
        Row("5.1", "RST_STREAM on an idle stream", [frame(.reset, on: 3, [0, 0, 0, 8])], .goAway(.protocolError)),
        Row("5.1", "WINDOW_UPDATE on idle", [frame(.windowUpdate, on: 3, [0, 0, 0, 9])], .goAway(.protocolError)),
        Row("5.1", "CONTINUATION on idle", [frame(.continuation, .endsBlock, on: 3, field)], .goAway(.protocolError)),
        Row("5.1", "DATA behind RST_STREAM", [head, .reset(.cancel), .data("x", ends: true)], .goAway(.streamClosed)),
        Row("5.1", "HEADERS behind RST_STREAM", [head, .reset(.cancel), head], .means(["1 head 200", "1 reset"])),
        Row(
            "5.1",
            "CONTINUATION behind RST_STREAM",
            [head, .reset(.cancel), frame(.continuation, .endsBlock, on: 1, field)],
            .goAway(.protocolError)
        ),
        Row("5.1", "DATA behind the end", [wholeHead, .data("x", ends: true)], .goAway(.streamClosed)),
        Row("5.1", "HEADERS behind the end", [wholeHead, head], .means(["1 head 200", "1 end"])),
        Row(
            "5.1",
            "CONTINUATION behind the end",
            [wholeHead, frame(.continuation, .endsBlock, on: 1, field)],
            .goAway(.protocolError)
        ),
        Row(
            "5.1",
            "what may follow the end",
            [wholeHead, .windowUpdate(1), .reset(.none), frame(.priority, on: 1, [0, 0, 0, 0, 1])],
            .means(["1 head 200", "1 end"])
        ),
        Row("5.1", "HEADERS behind the end", isUpload: true, [wholeHead, head], .reset(.streamClosed)),
        Row("5.1", "empty DATA behind the end", isUpload: true, [wholeHead, .data("")], .reset(.streamClosed)),
        Row("5.1", "DATA behind the end", isUpload: true, [wholeHead, .data("x")], .goAway(.streamClosed)),
        Row(
            "5.1",
            "what may follow the end",
            isUpload: true,
            [wholeHead, .windowUpdate(1), frame(.priority, on: 1, [0, 0, 0, 0, 1]), .reset(.none)],
            .means(["1 head 200", "1 end", "room", "1 reset"])
        ),
        Row("5.1.1", "an even stream", [frame(.headers, .endsBlock, on: 2, [0x88])], .goAway(.protocolError)),
        Row("5.1.1", "a stream far ahead", [frame(.headers, .endsBlock, on: 101, [0x88])], .goAway(.protocolError)),
        Row("5.4.1", "PING on a stream", [frame(.ping, on: 3, ping)], .goAway(.protocolError)),
        Row(
            "5.5",
            "an unknown kind within a block",
            [frame(.headers, on: 1, [0x88]), bytes([0, 0, 0, 0x16, 0, 0, 0, 0, 1])],
            .goAway(.protocolError)
        ),
    ]

    // MARK: - Kinds of frames

    private static let kinds: [Row] = [
        Row("6.1", "DATA on stream 0", [frame(.data, .endsStream, on: 0, [1])], .goAway(.protocolError)),
        Row(
            "6.1",
            "padding as long as DATA",
            [head, frame(.data, .isPadded, on: 1, [2, 1])],
            .goAway(.protocolError)
        ),
        Row("6.1", "padding without its length", [head, frame(.data, .isPadded, on: 1)], .goAway(.frameSize)),
        Row(
            "6.2",
            "PRIORITY within a block",
            [frame(.headers, on: 1, [0x88]), frame(.priority, on: 1, [0, 0, 0, 0, 1])],
            .goAway(.protocolError)
        ),
        Row("6.2", "HEADERS on stream 0", [frame(.headers, .endsBlock, on: 0, [0x88])], .goAway(.protocolError)),
        Row(
            "6.2",
            "padding longer than HEADERS",
            [frame(.headers, [.endsBlock, .isPadded], on: 1, [2, 0x88])],
            .goAway(.protocolError)
        ),
        Row(
            "6.2",
            "a priority that is cut",
            [frame(.headers, [.endsBlock, .hasPriority], on: 1, [0, 0, 0])],
            .goAway(.frameSize)
        ),
        Row("6.3", "PRIORITY on stream 0", [frame(.priority, on: 0, [0, 0, 0, 0, 1])], .goAway(.protocolError)),
        Row("6.3", "PRIORITY of 4 bytes", [frame(.priority, on: 1, [0, 0, 0, 0])], .goAway(.frameSize)),
        Row("6.3", "PRIORITY on itself", [frame(.priority, on: 1, [0, 0, 0, 1, 1])], .ignored()),
        Row("6.3", "PRIORITY on an idle stream", [frame(.priority, on: 9, [0, 0, 0, 0, 1])], .ignored()),
        Row("6.4", "RST_STREAM on stream 0", [frame(.reset, on: 0, [0, 0, 0, 8])], .goAway(.protocolError)),
        Row("6.4", "RST_STREAM of 3 bytes", [frame(.reset, on: 1, [0, 0, 8])], .goAway(.frameSize)),
        Row("6.4", "RST_STREAM of 5 bytes", [frame(.reset, on: 1, [0, 0, 0, 0, 8])], .goAway(.frameSize)),
        Row("6.5", "an acknowledgement with bytes", [frame(.settings, .acknowledges, [0])], .goAway(.frameSize)),
        Row("6.5", "SETTINGS on a stream", [frame(.settings, on: 1, [0, 3, 0, 0, 0, 100])], .goAway(.protocolError)),
        Row("6.5", "SETTINGS of 3 bytes", [frame(.settings, on: 0, [0, 3, 0])], .goAway(.frameSize)),
        Row("6.5", "an acknowledgement unasked", [frame(.settings, .acknowledges)], .ignored()),
        Row("6.5.2", "ENABLE_PUSH of 1", [.settings([(.enablePush, 1)])], .goAway(.protocolError)),
        Row("6.5.2", "ENABLE_PUSH of 2", [.settings([(.enablePush, 2)])], .goAway(.protocolError)),
        Row("6.5.2", "a window of 2^31", [.settings([(.initialWindowSize, 2_147_483_648)])], .goAway(.flowControl)),
        Row("6.5.2", "frames below 2^14", [.settings([(.maximumFrameSize, 16_383)])], .goAway(.protocolError)),
        Row("6.5.2", "frames of 2^24", [.settings([(.maximumFrameSize, 16_777_216)])], .goAway(.protocolError)),
        Row(
            "6.5.2",
            "an unknown setting",
            [.settings([(HTTP2Setting(rawValue: 0xFF), 1)])],
            .ignored(["acknowledged"])
        ),
        Row(
            "6.5.3",
            "settings one after the other",
            [.settings([(.initialWindowSize, 9), (.initialWindowSize, 65_535)]), .settings([])],
            .ignored(["acknowledged", "acknowledged"])
        ),
        Row("6.6", "a promise", [frame(.pushPromise, .endsBlock, on: 1, [0, 0, 0, 2, 0x82])], .goAway(.protocolError)),
        Row("6.7", "PING", [frame(.ping, on: 0, ping)], .ignored(["pong"])),
        Row("6.7", "a reply to PING unasked", [frame(.ping, .acknowledges, ping)], .ignored()),
        Row("6.7", "PING of 7 bytes", [frame(.ping, on: 0, [0, 0, 0, 0, 0, 0, 0])], .goAway(.frameSize)),
        Row("6.8", "GOAWAY on a stream", [frame(.goAway, on: 1, ping)], .goAway(.protocolError)),
        Row("6.8", "GOAWAY of 7 bytes", [frame(.goAway, on: 0, [0, 0, 0, 1, 0, 0, 0])], .goAway(.frameSize)),
        Row("6.8", "GOAWAY with a text", [frame(.goAway, on: 0, [0, 0, 0, 1, 0, 0, 0, 99, 0x61])], .ignored()),
        Row("6.9", "WINDOW_UPDATE of 3 bytes", [frame(.windowUpdate, on: 0, [0, 0, 9])], .goAway(.frameSize)),
        Row("6.9", "a window and nothing", [.windowUpdate(0, onConnection: true)], .goAway(.protocolError)),
        Row("6.9", "a window of a stream and nothing", [.windowUpdate(0)], .reset(.protocolError)),
        Row(
            "6.9.1",
            "a window beyond 2^31 - 1",
            [.windowUpdate(largestWindow, onConnection: true), .windowUpdate(largestWindow, onConnection: true)],
            .goAway(.flowControl)
        ),
        Row(
            "6.9.1",
            "a window of a stream beyond 2^31 - 1",
            [.windowUpdate(largestWindow), .windowUpdate(largestWindow)],
            .reset(.flowControl)
        ),
        Row(
            "6.10",
            "a block in three frames",
            [
                frame(.headers, .endsStream, on: 1, [0x88]), frame(.continuation, on: 1, field),
                frame(.continuation, .endsBlock, on: 1, field),
            ],
            .means(["1 head 200", "1 end"])
        ),
        Row(
            "6.10",
            "DATA within a block",
            [frame(.headers, on: 1, [0x88]), frame(.continuation, on: 1, field), .data("x", ends: true)],
            .goAway(.protocolError)
        ),
        Row(
            "6.10",
            "CONTINUATION on stream 0",
            [frame(.headers, on: 1, [0x88]), frame(.continuation, .endsBlock, on: 0, field)],
            .goAway(.protocolError)
        ),
        Row("6.10", "CONTINUATION of no block", [head, frame(.continuation, on: 1, field)], .goAway(.protocolError)),
        Row(
            "6.10",
            "CONTINUATION behind the end of its block",
            [
                frame(.headers, on: 1, [0x88]), frame(.continuation, .endsBlock, on: 1, field),
                frame(.continuation, .endsBlock, on: 1, field),
            ],
            .goAway(.protocolError)
        ),
    ]

    // MARK: - Messages

    private static let messages: [Row] = [
        Row("8.1", "DATA ahead of the head", [.data("x", ends: true)], .reset(.protocolError)),
        Row("8.1", "an interim response that ends", [.head([(":status", "100")], ends: true)], .reset(.protocolError)),
        Row("8.1", "trailers that do not end the response", [head, .head([("a", "b")])], .reset(.protocolError)),
        Row(
            "8.1",
            "trailers that end the response",
            [head, .data("x"), .head([("a", "b")], ends: true)],
            .means(["1 head 200", "1 body 1", "1 end"])
        ),
        Row(
            "8.1",
            "a reset without an error behind a response",
            isUpload: true,
            [wholeHead, .reset(.none)],
            .means(["1 head 200", "1 end", "1 reset"])
        ),
        Row(
            "8.1.1",
            "a body shorter than its length",
            [.head([(":status", "200"), ("content-length", "2")]), .data("x", ends: true)],
            .reset(.protocolError)
        ),
        Row(
            "8.1.1",
            "no body and a length",
            [.head([(":status", "200"), ("content-length", "2")], ends: true)],
            .reset(.protocolError)
        ),
        Row(
            "8.1.1",
            "a body behind 304",
            [.head([(":status", "304"), ("content-length", "1")]), .data("x", ends: true)],
            .reset(.protocolError)
        ),
        Row("8.2.1", "a capital", [.head([(":status", "200"), ("A", "b")])], .reset(.protocolError)),
        Row("8.2.1", "a name that is no token", [.head([(":status", "200"), ("a b", "c")])], .reset(.protocolError)),
        Row("8.2.1", "a NUL", [.head([(":status", "200"), ("a", "\0")])], .reset(.protocolError)),
        Row("8.2.1", "the end of a line", [.head([(":status", "200"), ("a", "b\nc")])], .reset(.protocolError)),
        Row("8.2.1", "a blank at the end", [.head([(":status", "200"), ("a", "b ")])], .reset(.protocolError)),
        Row("8.2.2", "Connection", [.head([(":status", "200"), ("connection", "close")])], .reset(.protocolError)),
        Row("8.2.2", "Keep-Alive", [.head([(":status", "200"), ("keep-alive", "a")])], .reset(.protocolError)),
        Row("8.2.2", "Upgrade", [.head([(":status", "200"), ("upgrade", "h2")])], .reset(.protocolError)),
        Row(
            "8.2.2",
            "Transfer-Encoding",
            [.head([(":status", "200"), ("transfer-encoding", "chunked")])],
            .reset(.protocolError)
        ),
        Row("8.3", "an unknown pseudo-field", [.head([(":status", "200"), (":a", "b")])], .reset(.protocolError)),
        Row(
            "8.3",
            "a pseudo-field of requests",
            [.head([(":status", "200"), (":path", "/")])],
            .reset(.protocolError)
        ),
        Row("8.3", "a pseudo-field behind others", [.head([("a", "b"), (":status", "200")])], .reset(.protocolError)),
        Row("8.3", "a pseudo-field in trailers", [head, .head([(":a", "b")], ends: true)], .reset(.protocolError)),
        Row("8.3.2", "no status", [.head([("a", "b")])], .reset(.protocolError)),
        Row("8.3.2", "two statuses", [.head([(":status", "200"), (":status", "200")])], .reset(.protocolError)),
        Row("8.3.2", "a status of two digits", [.head([(":status", "20")])], .reset(.protocolError)),
        Row("8.6", "a change of the protocol", [.head([(":status", "101")])], .reset(.protocolError)),
        Row("8.7", "a refused stream", [.reset(.refusedStream)], .means(["1 unprocessed"])),
        Row(
            "8.7",
            "a refused stream behind an interim response",
            [.head([(":status", "103")]), .reset(.refusedStream)],
            .means(["1 interim 103", "1 reset"])
        ),
    ]

    @Test(arguments: framing + kinds + messages)
    func `A client reacts to what a server sends as RFC 9113 says`(row: Row) throws {
        var peer = HTTP2Peer()
        _ = try peer.start(row.isUpload ? "PUT" : "GET", hasBody: row.isUpload)
        let meaning = peer.say(row.steps)
        switch row.reaction {
        case .goAway(let code):
            #expect(peer.defect?.code == code)
        case .reset(let code):
            #expect(peer.defect == nil)
            #expect(peer.sent() == ["1 reset \(code.rawValue)"])
            #expect(peer.machine.streamCount == 0)
            #expect(try peer.start() == 3)
        case .ignored(let sent):
            #expect(peer.sent() == sent)
            #expect(peer.say([Self.head, .data("ok", ends: true)]) == ["1 head 200", "1 body 2", "1 end"])
        case .means(let expected):
            #expect(meaning == expected)
            #expect(peer.sent().isEmpty)
        }
    }
}
