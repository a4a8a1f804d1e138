// SPDX-License-Identifier: MIT

import HTTPTypes
import NIOCore
import NIOHPACK
import Testing

@testable import HTTPWire

/// The rules of one connection of HTTP/2, by tables of what comes and what follows.
@Suite
struct HTTP2StateMachineTests {
    private typealias Step = FrameServer.Step

    private static let frame = String(repeating: "x", count: 16_384)

    // MARK: - Windows

    @Test
    func `A body is sent as far as both windows allow, in frames that the server takes`() throws {
        var peer = HTTP2Peer(settings: [(.initialWindowSize, 10)])
        let stream = try peer.start("PUT", hasBody: true)
        #expect(peer.machine.room(of: stream) == 10)
        peer.machine.send(ByteBuffer(repeating: 1, count: 10), on: stream, isLast: false)
        #expect(peer.sent() == ["1 data 10"] && peer.machine.room(of: stream) == 0)
        #expect(peer.say([.windowUpdate(5)]) == ["room"] && peer.machine.room(of: stream) == 5)
        // A smaller window counts for the streams that are open, and may go below nothing.
        #expect(peer.say([.settings([(.initialWindowSize, 0)])]) == ["room"] && peer.machine.room(of: stream) == 0)
        #expect(peer.say([.windowUpdate(8)]) == ["room"] && peer.machine.room(of: stream) == 3)
        #expect(peer.say([.settings([(.initialWindowSize, 1 << 20)])]) == ["room"])
        #expect(peer.machine.room(of: stream) == 16_384)
        _ = peer.say([.settings([(.maximumFrameSize, 20_000)])])
        #expect(peer.machine.room(of: stream) == 20_000)
        peer.machine.send(ByteBuffer(repeating: 1, count: 16_384), on: stream, isLast: false)
        _ = peer.say([.settings([(.maximumFrameSize, 1 << 24 - 1)])])
        #expect(peer.machine.room(of: stream) == 65_535 - 10 - 16_384)
        peer.machine.send(ByteBuffer(), on: stream, isLast: true)
        #expect(peer.machine.room(of: stream) == 0)
    }

    @Test
    func `The server gets room back for what was taken, in large pieces`() throws {
        var peer = HTTP2Peer()
        let stream = try peer.start()
        _ = peer.say([.head([(":status", "200")])])
        for count in 1...64 {
            #expect(peer.say([.data(Self.frame)]) == ["1 body 16384"])
            // The half of a mebibyte is the 32nd of these.
            peer.machine.returnRoom(16_384, on: stream)
            #expect(peer.sent() == (count % 32 == 0 ? ["1 window 524288"] : []))
        }
    }

    @Test
    func `A reader that takes nothing gives no room, and the server may not send more`() throws {
        var peer = HTTP2Peer()
        _ = try peer.start()
        _ = peer.say([.head([(":status", "200")])])
        for _ in 0..<64 {
            #expect(peer.say([.data(Self.frame)]) == ["1 body 16384"])
        }
        #expect(peer.sent().isEmpty)
        #expect(peer.say([.data("x")]) == ["broken: \(HTTP2Defect.flowControl)"])
    }

    @Test
    func `The window of the connection is given back whoever reads`() throws {
        var peer = HTTP2Peer(settings: [(.maximumConcurrentStreams, 100)])
        for number in 0..<8 {
            let stream = try peer.start()
            _ = peer.say([.head([(":status", "200")])] + [Step](repeating: .data(Self.frame), count: 64), on: stream)
            #expect(peer.sent() == (number == 7 ? ["0 window 8388608"] : []))
        }
    }

    @Test
    func `Padding counts for the windows and is no part of the body`() throws {
        var peer = HTTP2Peer()
        _ = try peer.start()
        _ = peer.say([.head([(":status", "200"), ("content-length", "2")])])
        let padded = ByteBuffer.frame(
            .data,
            .isPadded,
            stream: 1,
            payload: [200, 1] + [UInt8](repeating: 0, count: 200)
        )
        #expect(peer.receive(padded) == ["1 body 1"])
        #expect(peer.machine.streams[1]?.receiveWindow == 1 << 20 - 202)
        // Nobody reads padding, so that room for it is given back at once.
        #expect(peer.machine.streams[1]?.unreturned == 201)
        let end = ByteBuffer.frame(.data, [.isPadded, .endsStream], stream: 1, payload: [1, 1, 0])
        #expect(peer.receive(end) == ["1 body 1", "1 end"])
    }

    @Test
    func `A window that grows by nothing, or too far, ends its stream`() throws {
        for increment in [0, 1 << 31 - 1] {
            var peer = HTTP2Peer()
            _ = try peer.start("PUT", hasBody: true)
            #expect(peer.say([.windowUpdate(increment)]) == ["1 brokenConnection"])
            #expect(peer.sent() == ["1 reset \(increment == 0 ? 1 : 3)"])
        }
        var peer = HTTP2Peer(settings: [(.initialWindowSize, 1 << 31 - 1)])
        _ = try peer.start("PUT", hasBody: true)
        #expect(peer.say([.settings([(.initialWindowSize, 10)]), .windowUpdate(1 << 31 - 11)]) == ["room", "room"])
        #expect(
            peer.say([.settings([(.initialWindowSize, 20)])]) == ["broken: \(HTTP2Defect.flowControl)"]
        )
    }

    // MARK: - Ends of streams

    @Test
    func `What was on its way to a stream that was reset is dropped, and nothing beyond its window`() throws {
        var peer = HTTP2Peer()
        let stream = try peer.start()
        _ = peer.say([.head([(":status", "200")]), .data("x")])
        peer.machine.reset(stream, .cancel)
        #expect(peer.sent() == ["1 reset 8"])
        #expect(peer.say([.head([("a", "b")], ends: true), .reset(.none), .windowUpdate(1)]).isEmpty)
        for _ in 0..<63 {
            #expect(peer.say([.data(Self.frame)]).isEmpty)
        }
        #expect(peer.say([.data(Self.frame)]) == ["broken: \(HTTP2Defect.closedStream)"])
    }

    @Test
    func `A body that goes on behind its end breaks the connection`() throws {
        var peer = HTTP2Peer()
        _ = try peer.start()
        #expect(peer.say([.head([(":status", "200")], ends: true)]) == ["1 head 200", "1 end"])
        #expect(peer.say([.data("x")]) == ["broken: \(HTTP2Defect.closedStream)"])
    }

    @Test
    func `Fields for a stream that has ended keep the table in step`() throws {
        var peer = HTTP2Peer()
        let first = try peer.start()
        peer.machine.reset(first, .cancel)
        let fields = [(":status", "200"), ("x-kept", "in the table")]
        #expect(peer.say([.head(fields, ends: true)], on: first).isEmpty)
        let second = try peer.start()
        #expect(peer.say([.head(fields, ends: true)], on: second) == ["3 head 200", "3 end"])
    }

    @Test
    func `Of a stream that is refused or above GOAWAY it is known that it was not processed`() throws {
        var peer = HTTP2Peer()
        for _ in 0..<5 {
            _ = try peer.start()
        }
        #expect(peer.say([.reset(.refusedStream)], on: 1) == ["1 unprocessed"])
        #expect(peer.say([.head([(":status", "200")]), .reset(.refusedStream)], on: 3) == ["3 head 200", "3 reset"])
        #expect(peer.say([.goAway(last: 5)]) == ["goAway", "7 unprocessed", "9 unprocessed"])
        #expect(!peer.machine.canStart && peer.machine.streamCount == 1)
        #expect(peer.say([.head([(":status", "200")])], on: 5) == ["5 head 200"])
        // It responds, whatever it says later.
        #expect(peer.say([.goAway(last: 0)]) == ["goAway", "5 reset"])
    }

    @Test
    func `An early response ends a stream once its request has ended too`() throws {
        var peer = HTTP2Peer()
        let stream = try peer.start("PUT", hasBody: true)
        #expect(peer.say([.head([(":status", "200")], ends: true)]) == ["1 head 200", "1 end"])
        #expect(peer.machine.streamCount == 1 && peer.machine.room(of: stream) > 0)
        peer.machine.send(ByteBuffer(repeating: 1, count: 3), on: stream, isLast: true)
        #expect(peer.sent() == ["1 data 3 end"] && peer.machine.streamCount == 0)
    }

    @Test
    func `Streams begin as far as the server allows, and until their numbers end`() throws {
        var peer = HTTP2Peer()
        #expect(peer.machine.streamLimit == 100 && peer.machine.canStart)
        #expect(peer.say([.settings([(.maximumConcurrentStreams, 0)])]) == ["limit"] && !peer.machine.canStart)
        #expect(peer.say([.settings([(.maximumConcurrentStreams, 2)])]) == ["limit"])
        _ = try peer.start()
        #expect(peer.machine.canStart)
        _ = try peer.start()
        #expect(!peer.machine.canStart)
        #expect(peer.say([.settings([(.maximumConcurrentStreams, 1)])]) == ["limit"])
        _ = peer.say([.head([(":status", "200")], ends: true)])
        #expect(!peer.machine.canStart)
        _ = peer.say([.head([(":status", "200")], ends: true)], on: 3)
        #expect(peer.machine.canStart && !peer.machine.isGoingAway)
        peer.machine.nextStream = 1 << 31 - 1
        #expect(try peer.start() == 1 << 31 - 1)
        #expect(!peer.machine.canStart && peer.machine.isGoingAway)
    }

    // MARK: - Fields

    @Test
    func `A block of fields may come in pieces, with a priority and with padding`() throws {
        var peer = HTTP2Peer()
        _ = try peer.start()
        // :status 200 by the static table, and a literal field.
        let block: [UInt8] = [0x88, 0x00, 0x01, 0x61, 0x01, 0x62]
        var bytes = ByteBuffer.frame(
            .headers,
            [.isPadded, .hasPriority, .endsStream],
            stream: 1,
            payload: [3, 0, 0, 0, 0, 9, block[0], 0, 0, 0]
        )
        for (place, byte) in block.enumerated().dropFirst() {
            bytes.writeImmutableBuffer(
                .frame(.continuation, place == block.count - 1 ? .endsBlock : [], stream: 1, payload: [byte])
            )
        }
        #expect(peer.receive(bytes) == ["1 head 200", "1 end"])
    }

    private static let trailers: [(String, [(String, String)])] = [
        ("1 end", [("x-sum", "1")]), ("1 end", []),
        ("1 malformed: \(ResponseDefect.pseudoField)", [(":status", "200")]),
        ("1 malformed: \(ResponseDefect.trailers)", [("content-length", "0")]),
        ("1 malformed: \(ResponseDefect.connectionField)", [("transfer-encoding", "chunked")]),
        ("1 malformed: \(ResponseDefect.fieldName)", [("Upper", "1")]),
    ]

    @Test(arguments: trailers)
    func `Trailers are checked as heads are`(end: String, fields: [(String, String)]) throws {
        var peer = HTTP2Peer()
        _ = try peer.start()
        _ = peer.say([.head([(":status", "200")]), .data("ok")])
        #expect(peer.say([.head(fields, ends: true)]) == [end])
    }

    @Test
    func `A response to HEAD has a length and no body`() throws {
        var peer = HTTP2Peer()
        _ = try peer.start("HEAD")
        #expect(
            peer.say([.head([(":status", "200"), ("content-length", "9")]), .data("", ends: true)])
                == ["1 head 200", "1 end"]
        )
        _ = try peer.start("HEAD")
        #expect(
            peer.say([.head([(":status", "200")]), .data("x")], on: 3)
                == ["3 head 200", "3 malformed: \(ResponseDefect.bodyLength)"]
        )
    }

    @Test
    func `Interim responses precede a response, up to the limit`() throws {
        var peer = HTTP2Peer()
        _ = try peer.start()
        let interim = [Step](repeating: .head([(":status", "103")]), count: 32)
        #expect(peer.say(interim) == [String](repeating: "1 interim 103", count: 32))
        #expect(
            peer.say([.head([(":status", "103")])]) == ["1 malformed: \(ResponseDefect.tooManyInterimResponses)"]
        )
        #expect(peer.sent() == ["1 reset 1"])
    }

    @Test
    func `Fields beyond the limits fail their call, or break the connection before they take memory`() throws {
        var limits = ResponseParser.Limits()
        limits.headBytes = 1_000
        limits.fieldCount = 4
        var peer = HTTP2Peer(limits)
        let many = (0..<5).map { ("x-\($0)", "y") }
        _ = try peer.start()
        #expect(
            peer.say([.head([(":status", "200")] + many, ends: true)]) == [
                "1 malformed: \(ResponseDefect.headTooLarge)"
            ]
        )
        // One field of the table, named again and again by one byte each.
        _ = try peer.start()
        let field = ("x-large", String(repeating: "y", count: 500))
        _ = peer.say([.head([(":status", "200"), field], ends: true)], on: 3)
        _ = try peer.start()
        var bomb = ByteBuffer.frame(
            .headers,
            .endsBlock,
            stream: 5,
            payload: [0x88] + [UInt8](repeating: 0xBE, count: 400)
        )
        bomb.writeImmutableBuffer(.frame(.ping, payload: [0, 0, 0, 0, 0, 0, 0, 0]))
        #expect(peer.receive(bomb) == ["broken: \(HTTP2Defect.blockTooLarge)"])
    }

    @Test
    func `A request keeps its bytes, and drops what is for one connection`() throws {
        var peer = HTTP2Peer()
        var fields = HTTPFields()
        fields[.expect] = "100-continue"
        fields[.connection] = "X-Hop, close"
        fields[.te] = "gzip"
        for (name, value) in [("X-Hop", "1"), ("Keep-Alive", "1"), ("X-Kept", "é")] {
            fields[try #require(HTTPField.Name(name))] = value
        }
        let latin = try #require(HTTPField.Name("X-Latin"))
        fields.append(HTTPField(name: latin, value: [UInt8](repeating: 0xE9, count: 300)))
        _ = try peer.machine.start(HTTP2Peer.request(fields: fields), hasBody: false)
        var reader = HTTP2FrameReader()
        reader.append(peer.machine.takeOutput() ?? ByteBuffer())
        guard case .headers(_, let block, true, true) = try reader.next() else {
            Issue.record("The head is not one frame.")
            return
        }
        var head = block
        var decoder = HPACKDecoder(allocator: ByteBufferAllocator())
        let read = try decoder.decodeHeaders(from: &head).filter { !$0.name.hasPrefix(":") }
        // It may be a credential, so that nobody on the way keeps it in a table either.
        #expect(read.last?.indexable == .neverIndexed)
        #expect(read.map(\.name) == ["x-kept", "x-latin"] && read.first?.value == "é")
        let literal = [UInt8](repeating: 0xE9, count: 300)
        #expect(Array(block.readableBytesView.suffix(300)) == literal)
        #expect(throws: WireFault.self) { _ = try peer.start("CONNECT") }
    }

    @Test
    func `A request whose fields are larger than the server takes is not sent, and others are`() throws {
        var peer = HTTP2Peer(settings: [(.maximumHeaderListSize, 300)])
        let small: HTTPFields = [.accept: "*/*"]
        let large: HTTPFields = [.accept: String(repeating: "x", count: 150)]
        for _ in 0..<2 {
            #expect(throws: WireFault.self) {
                _ = try peer.machine.start(HTTP2Peer.request(fields: large), hasBody: false)
            }
            #expect(peer.sent().isEmpty)
            let stream = try peer.machine.start(HTTP2Peer.request(fields: small), hasBody: false)
            #expect(peer.sent() == ["\(stream) head accept=*/* end"])
        }
        _ = peer.say([.settings([(.maximumHeaderListSize, 4_000)])])
        _ = peer.sent()
        _ = try peer.machine.start(HTTP2Peer.request(fields: large), hasBody: false)
        #expect(peer.machine.streamCount == 3)
    }

    @Test
    func `A server that requires HTTP/1.1 did not process the request, unless it has responded`() throws {
        var peer = HTTP2Peer()
        for _ in 0..<2 {
            _ = try peer.start()
        }
        #expect(peer.say([.reset(.http1Required)]) == ["http1", "1 unprocessed"])
        #expect(
            peer.say([.head([(":status", "200")]), .reset(.http1Required)], on: 3) == [
                "3 head 200", "http1", "3 reset",
            ]
        )
        #expect(!peer.machine.canStart)
    }

    @Test
    func `A head follows the size of the table that the server allows`() throws {
        var peer = HTTP2Peer()
        for sizes in [[0], [1 << 31], [0, 100, 50], [4_096, 0, 4_096, 1]] {
            #expect(peer.say([.settings(sizes.map { (.headerTableSize, $0) })]).isEmpty)
            _ = peer.sent()
            let stream = try peer.machine.start(HTTP2Peer.request(fields: [.accept: "text/plain"]), hasBody: false)
            #expect(peer.sent() == ["\(stream) head accept=text/plain end"])
        }
    }

    // MARK: - Floods

    private static let floods: [(String, ByteBuffer)] = [
        ("resets", .frame(.reset, stream: 1, payload: [0, 0, 0, 0])), ("settings", .frame(.settings)),
        ("acknowledgements", .frame(.settings, .acknowledges)),
        ("pings", .frame(.ping, payload: [0, 0, 0, 0, 0, 0, 0, 0])),
        ("replies to pings", .frame(.ping, .acknowledges, payload: [0, 0, 0, 0, 0, 0, 0, 0])),
        ("windows", .frame(.windowUpdate, payload: [0, 0, 0, 1])),
        ("priorities", .frame(.priority, stream: 1, payload: [0, 0, 0, 0, 0])),
        ("GOAWAY", .frame(.goAway, payload: [0x7F, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0])),
        ("empty bodies", .frame(.data, stream: 3)),
        ("padding alone", .frame(.data, .isPadded, stream: 3, payload: [1, 0])),
        ("ends of nothing", .frame(.data, .endsStream, stream: 1)),
        ("fields for nobody", .frame(.headers, .endsBlock, stream: 1, payload: [0x88])),
        ("frames of an unknown kind", ByteBuffer(bytes: [0, 0, 0, 99, 0, 0, 0, 0, 0])),
    ]

    @Test(arguments: floods)
    func `Frames without a part of a response are taken in numbers of real servers, and no more`(
        name: String,
        frame: ByteBuffer
    ) throws {
        var peer = HTTP2Peer()
        let ended = try peer.start()
        peer.machine.reset(ended, .cancel)
        _ = try peer.start()
        _ = peer.say([.head([(":status", "200")])], on: 3)
        for _ in 0..<5 {
            peer.now = peer.now + .seconds(2)
            _ = peer.receive(frame.repeated(900))
            _ = peer.sent()
        }
        #expect(peer.defect == nil)
        #expect(peer.receive(frame.repeated(200)).last == "broken: \(HTTP2Defect.flood)", "\(name)")
    }

    @Test
    func `Replies do not gather for a server that takes none`() throws {
        var peer = HTTP2Peer()
        let ping = ByteBuffer.frame(.ping, payload: [0, 0, 0, 0, 0, 0, 0, 0])
        for _ in 0..<10 {
            peer.now = peer.now + .seconds(2)
            #expect(peer.receive(ping.repeated(100)).isEmpty)
            #expect(peer.sent(isWritable: false).count == 100)
        }
        #expect(peer.receive(ping) == ["broken: \(HTTP2Defect.flood)"])
    }

    // MARK: - Bytes

    @Test(arguments: [
        "HTTP/1.1 400 Bad Request\r\n\r\n", "\0\0\u{8}\u{6}\0\0\0\0\0\0\0\0\0\0\0\0\0",
        "\u{15}\u{3}\u{1}\0\u{2}\u{2}F\0\0",
    ])
    func `A server that does not begin with settings speaks no HTTP/2`(text: String) {
        var machine = HTTP2StateMachine(isSecure: true, limits: ResponseParser.Limits())
        var events: [HTTP2StateMachine.Event] = []
        #expect(throws: HTTP2Defect.self) {
            try machine.receive(ByteBuffer(string: text), at: .now(), into: &events)
        }
        #expect(events.isEmpty)
    }

    @Test
    func `Bytes mean the same however they are cut`() throws {
        var whole = ByteBuffer.frame(.headers, .endsBlock, stream: 1, payload: [0x88])
        for text in ["a", "", "bc"] {
            whole.writeImmutableBuffer(.frame(.data, stream: 1, payload: Array(text.utf8)))
        }
        whole.writeImmutableBuffer(.frame(.ping, payload: [0, 0, 0, 0, 0, 0, 0, 0]))
        whole.writeImmutableBuffer(.frame(.headers, [.endsBlock, .endsStream], stream: 1))
        let expected = ["1 head 200", "1 body 1", "1 body 2", "1 end"]
        for size in 1...whole.readableBytes {
            var peer = HTTP2Peer()
            _ = try peer.start()
            var rest = whole
            var words: [String] = []
            while let part = rest.readSlice(length: min(size, rest.readableBytes)), part.readableBytes > 0 {
                words += peer.receive(part)
            }
            #expect(words == expected && peer.sent() == ["pong"], "in pieces of \(size)")
        }
    }
}
