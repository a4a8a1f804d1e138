// SPDX-License-Identifier: MIT

import NIOCore
import RestClientWebSocket
import RestEssentials
import SeededRandom

@testable import JobGraphs
@testable import RestClient
@testable import RestClientRecording
@testable import RestClientWebSocket
@testable import SharedStore

/// Formats of bytes: archives, sealed values, compressed data, records, streams of events and frames.
extension FuzzTarget {
    private static let archive = """
        {"log":{"version":"1.2","creator":{"name":"x","version":"1"},
        "entries":[{"startedDateTime":"2026-11-23T08:00:00.125Z",
        "time":1.5,"request":{"method":"POST","url":"https://h/a?b=c","httpVersion":"HTTP/1.1",
        "headers":[{"name":"a","value":"b"}],
        "postData":{"mimeType":"text/plain","text":"x","params":[]},"headersSize":-1,"bodySize":1,
        "cookies":[],"queryString":[]},
        "response":{"status":200,"statusText":"OK","httpVersion":"h2","headers":[],"content":{"size":3,"mimeType":"a/b",
        "text":"YWJj","encoding":"base64"},"redirectURL":"","headersSize":-1,"bodySize":3,"cookies":[]},"cache":{},
        "timings":{"blocked":-1,"dns":0.5,"connect":1,"send":0,"wait":1,"receive":0,"ssl":-1},
        "_webSocketMessages":[{"type":"send","time":1.5,"opcode":1,"data":"hi"},
        {"type":"receive","time":2,"opcode":2,"data":"AAE="}]}]}}
        """

    static let har = FuzzTarget("har", 100) { input in
        let words = [
            "null", "-1", "1e400", "1.5", "[]", "{}", "\"\"", "2026-13-45T99:99:99Z", "base64", "\\ud800", "\"name\":",
        ]
        let data = input.changed(Data(archive.utf8), with: words)
        guard let har = try? HAR(data: data) else {
            return
        }
        guard let written = try? har.data() else {
            return
        }
        let again = try HAR(data: written)
        try demand(
            again.entries.count == har.entries.count,
            "\(har.entries.count) entries became \(again.entries.count)"
        )
        for (first, second) in zip(har.entries, again.entries) {
            try demand(first.request == second.request, "\(first.request) became \(second.request)")
            try demand(first.response == second.response, "\(first.response) became \(second.response)")
            try demand(
                abs(first.startedAt.timeIntervalSince(second.startedAt)) < 0.002,
                "\(first.startedAt) became \(second.startedAt)"
            )
            try demand(
                first.webSocketMessages?.map(\.bytes) == second.webSocketMessages?.map(\.bytes),
                "messages changed"
            )
        }
        try demand(try again.data() == written, "an archive is written in two ways")
    }

    static let envelope = FuzzTarget("envelope", 500) { input in
        let codec = input.text(of: ["identity", "gzip", "x", "ä"], 1...2)
        let payload = input.bytes(0...20)
        let version = UInt32(input.int(0...Int(UInt32.max)))
        let change = input.chance(2) ? UInt64(input.int(0...Int.max)) : nil
        let data =
            try ValueEnvelope.header(
                serialization: input.chance(2) ? .json : .bytes,
                schemaVersion: version,
                codec: codec,
                change: change
            ) + payload
        let envelope = try ValueEnvelope(data, key: "k")
        try demand(
            envelope.codec == codec && envelope.payload == payload && envelope.schemaVersion == version
                && envelope.change == change,
            "\(envelope)"
        )
        let changed = input.changed(data)
        if let other = try? ValueEnvelope(changed, key: "k") {
            try demand(try other.header + other.payload == changed, "an envelope is written in two ways")
        }
        let tags = Set(input.list(0...4) { $0.anyText(0...4) })
        let list = TagList.encode(tags) ?? Data()
        try demand(TagList.decode(list) == tags, "\(tags) became \(TagList.decode(list))")
        _ = TagList.decode(input.changed(list))
    }

    private static let key = SealingKey.generate()
    private static let otherKey = SealingKey.generate()

    /// Returns true if a sealed value is refused, for the right reason.
    private static func isRefused(_ data: Data, _ codec: StorageCodec, _ context: CodecContext) -> Bool {
        let result = Result { try codec.decode(data, context: context) }
        guard case .failure(let error) = result else {
            return false
        }
        return [.tampered, .wrongKey, .truncatedInput].contains((error as? StoreError)?.code)
    }

    static let sealed = FuzzTarget("sealed", 150) { input in
        let payload = input.bytes(0...60)
        let codec = input.chance(2) ? StorageCodec.sealed(key) : .gzipSealed(key)
        let context = CodecContext(name: input.anyText(1...3), header: input.bytes(0...8))
        let sealed = try codec.encode(payload, context: context)
        try demand(try codec.decode(sealed, context: context) == payload, "a sealed value does not come back")
        let changed = input.changed(sealed)
        try demand(changed == sealed || isRefused(changed, codec, context), "a changed value was opened")
        try demand(isRefused(sealed, .sealed(otherKey), context), "another key opened a value")
        try demand(
            isRefused(sealed, codec, CodecContext(name: context.name + "x", header: context.header)),
            "a moved value was opened"
        )
        try demand(
            isRefused(sealed, codec, CodecContext(name: context.name, header: context.header + [0])),
            "a moved value was opened"
        )
        // No byte may wander from the name into the header.
        try demand(
            isRefused(sealed, codec, CodecContext(name: "", header: Data(context.name.utf8) + context.header)),
            "name and header are one"
        )
    }

    static let inflater = FuzzTarget("inflater", 200) { input in
        let format = input.pick([CompressionFormat.gzip, .zlib, .raw])
        let text =
            input.chance(2)
            ? input.bytes(0...200) : Data(repeating: UInt8(input.int(0...255)), count: input.int(0...20_000))
        let packed = try Deflater.compress(text, format: format, level: input.int(0...9))
        try demand(
            try Inflater.decompress(packed, format: format, limit: text.count) == text,
            "\(format) does not come back"
        )
        if !text.isEmpty {
            let isWithin = (try? Inflater.decompress(packed, format: format, limit: text.count - 1)) != nil
            try demand(!isWithin, "\(text.count) bytes were within a limit of \(text.count - 1)")
        }
        let data = input.chance(3) ? packed : input.changed(packed)
        let limit = input.pick([0, 1, 100, 50_000])
        let whole = try? Inflater.decompress(data, format: format, limit: limit)
        try demand((whole?.count ?? 0) <= limit, "\(whole?.count ?? 0) bytes for a limit of \(limit)")
        // The same data in pieces comes to the same end.
        var inflater = try Inflater(format: format, limit: limit)
        var output: Data? = Data()
        do throws(StoreError) {
            for piece in input.pieces(of: data) {
                output?.append(try inflater.update(piece))
            }
            try inflater.finish()
        } catch {
            output = nil
        }
        try demand(
            output == whole,
            "in pieces \(format) gives \(output?.count ?? -1) bytes, as a whole \(whole?.count ?? -1)"
        )
    }

    static let journal = FuzzTarget("journal", 200) { input in
        var record = JournalRecord(
            name: input.anyText(0...4),
            state: input.chance(2) ? .started : .finished,
            inputs: input.anyText(0...4)
        )
        record.output = input.chance(2) ? input.anyText(0...4) : nil
        record.ownKeys = input.chance(2) ? [input.anyText(0...2): input.anyText(0...2)] : nil
        record.idempotencyKey = input.chance(2) ? input.anyText(0...2) : nil
        record.decision = input.chance(2) ? (input.chance(2) ? .done : .notDone) : nil
        record.expectation =
            input.chance(2)
            ? JournalRecord.Expectation(codec: input.anyText(0...2), type: input.anyText(0...2), nothing: "null") : nil
        let data = try JournalCoding.encode(record)
        try demand(
            try JournalCoding.decode(JournalRecord.self, from: data, "x") == record,
            "\(record) does not come back"
        )
        let changed = input.changed(data, with: ["null", "2", "{}", "\"version\":", "1e99"])
        do {
            let read = try JournalCoding.decode(JournalRecord.self, from: changed, "x")
            let again = try JournalCoding.decode(JournalRecord.self, from: JournalCoding.encode(read), "x")
            try demand(again == read, "\(read) became \(again)")
        } catch let error as JobGraphError {
            try demand(error.code == .journalUnreadable, "\(error)")
        }
        // Two places of a graph never have one key, and no place lies in another by its name.
        func path(_ input: inout FuzzInput) -> (JournalPath, [String]) {
            var (path, steps) = (JournalPath.root, [String]())
            for _ in 0..<input.int(1...3) {
                let name = input.text(of: ["a", "b", "/", "%", "[", "]", "~", "%2f", "0"], 1...3)
                path = path.node(name)
                steps.append(name)
            }
            return (path, steps)
        }
        let (one, other) = (path(&input), path(&input))
        try demand((one.0.key == other.0.key) == (one.1 == other.1), "\(one) and \(other)")
        try demand(
            !one.0.holds(other.0.key) || other.1.starts(with: one.1) && other.1.count > one.1.count,
            "\(one) holds \(other)"
        )
    }

    /// The rules of the HTML standard, written once more for whole texts.
    private static func events(_ text: String) -> [ServerSentEvent] {
        var scalars = Array(text.unicodeScalars)
        if scalars.first == "\u{FEFF}" { scalars.removeFirst() }
        var (lines, line) = ([String.UnicodeScalarView](), String.UnicodeScalarView())
        for (index, scalar) in scalars.enumerated() {
            if scalar == "\n", index > 0, scalars[index - 1] == "\r" { continue }
            if scalar == "\n" || scalar == "\r" {
                lines.append(line)
                line = String.UnicodeScalarView()
            } else {
                line.append(scalar)
            }
        }
        var (events, data, type, id): ([ServerSentEvent], [String], String, String) = ([], [], "", "")
        for line in lines {
            if line.isEmpty {
                if !data.isEmpty {
                    events.append(
                        .init(
                            type: type.isEmpty ? "message" : type,
                            data: data.joined(separator: "\n"),
                            lastEventID: id
                        )
                    )
                }
                (data, type) = ([], "")
                continue
            }
            let colon = line.firstIndex(of: ":") ?? line.endIndex
            var value = line[colon...].dropFirst()
            if value.first == " " { value = value.dropFirst() }
            switch String(line[..<colon]) {
            case "data": data.append(String(value))
            case "event": type = String(value)
            case "id" where !value.contains("\0"): id = String(value)
            default: break
            }
        }
        return events
    }

    static let eventStream = FuzzTarget("event-stream", 500) { input in
        let pieces = [
            "data", "data:", "data: ", "event: a", "id: 1", "id:\0", "id", "retry: 5", "retry: x", ":", "\n", "\n\n",
            "\r\n", "\r", "x", "ä", " ", "\u{FEFF}", "DATA: 1",
        ]
        let text = input.text(of: pieces, 0...14)
        let data = input.chance(5) ? input.changed(Data(text.utf8)) : Data(text.utf8)
        func read(_ chunks: [Data]) throws -> [ServerSentEvent] {
            var (parser, events) = (ServerSentEventParser(), [ServerSentEvent]())
            for chunk in chunks {
                parser.receive(chunk)
                while let event = try parser.next() { events.append(event) }
            }
            return events
        }
        let whole = try read([data])
        let (pieced, single) = (try read(input.pieces(of: data)), try read(data.map { Data([$0]) }))
        try demand(
            pieced == whole && single == whole,
            "'\(text)' in pieces gives \(pieced) and \(single), and not \(whole)"
        )
        if data == Data(text.utf8) {
            let expected = events(text)
            // Swift compares texts by their characters; these are compared by their bytes.
            let bytes = { (events: [ServerSentEvent]) in
                events.map { [$0.type, $0.data, $0.lastEventID].map { Array($0.utf8) } }
            }
            try demand(bytes(whole) == bytes(expected), "'\(text)' gives \(whole), and not \(expected)")
        }
        var limited = ServerSentEventParser(limit: 8)
        limited.receive(data)
        do {
            while let event = try limited.next() {
                try demand(event.data.utf8.count <= 8 * 3, "\(event) is too long")
            }
        } catch let error as RestClientError {
            try demand(error.code == .lineTooLong, "\(error)")
        }
    }

    static let webSocketMessages = FuzzTarget("websocket-messages", 150) { input in
        let isCompressed = input.chance(2)
        let forgets = "; client_no_context_takeover; server_no_context_takeover"
        let terms = try CompressionTerms([
            "permessage-deflate" + input.pick(["", forgets, "; client_no_context_takeover"])
        ])
        func machine() throws -> WebSocketStateMachine {
            WebSocketStateMachine(
                messageLimit: 1 << 20,
                fragmentLimit: 10_000,
                codec: isCompressed ? try MessageCodec(terms) : nil
            )
        }
        var (client, server) = (try machine(), try machine())
        let messages = input.list(1...4) { input -> WebSocketMessage in
            input.chance(2) ? .text(input.anyText(0...60)) : .binary(input.bytes(0...200))
        }
        var received: [WebSocketMessage] = []
        for message in messages {
            for frame in client.send(message, fragmentSize: input.chance(2) ? nil : input.int(1...50)) {
                if input.chance(6),
                    case .write(let pong) = server.receive(WireFrame(WireFrame.Opcode.ping, ByteBuffer(string: "p")))
                {
                    try demand(
                        pong.opcode == WireFrame.Opcode.pong && pong.payload == ByteBuffer(string: "p"),
                        "\(pong)"
                    )
                }
                switch server.receive(frame) {
                case .none: break
                case .deliver(let message): received.append(message)
                case let action: throw FuzzFinding(description: "\(frame) led to \(action)")
                }
            }
        }
        try demand(received == messages, "\(messages) became \(received)")
    }

    static let webSocketFrames = FuzzTarget("websocket-frames", 400) { input in
        let limit = input.pick([0, 5, 1_000])
        let codec = input.chance(2) ? try MessageCodec(try CompressionTerms(["permessage-deflate"])) : nil
        var machine = WebSocketStateMachine(messageLimit: limit, fragmentLimit: 3, codec: codec)
        var isOver = false
        for _ in 0..<input.int(1...8) {
            let payload = input.chance(2) ? input.bytes(0...140) : Data(input.anyText(0...4).utf8)
            var frame = WireFrame(
                UInt8(input.pick([0, 0, 1, 1, 2, 8, 9, 10, 3, 15])),
                ByteBuffer(bytes: payload),
                isFinal: input.chance(2)
            )
            frame.isCompressed = input.chance(6)
            frame.hasReservedBits = input.chance(20)
            frame.isMasked = input.chance(20)
            let action = machine.receive(frame)
            if isOver, action != .none {
                throw FuzzFinding(description: "\(frame) led to \(action) behind the end")
            }
            switch action {
            case .deliver(.text(let text)):
                try demand(text.utf8.count <= limit && frame.isFinal, "\(text) of more than \(limit) bytes")
            case .deliver(.binary(let data)):
                try demand(data.count <= limit && frame.isFinal, "\(data) of more than \(limit) bytes")
            case .write(let pong):
                try demand(pong.opcode == WireFrame.Opcode.pong && pong.payload.readableBytes <= 125, "\(pong)")
            case .finish(let close, _):
                isOver = true
                try demand(close?.opcode ?? 8 == 8, "\(String(describing: close))")
            case .fail(let close, _):
                isOver = true
                try demand(close.opcode == 8, "\(close)")
            case .none, .ponged: break
            }
        }
        try demand(!isOver || machine.send(.text("x"), fragmentSize: nil).isEmpty, "a message was sent behind the end")
        if let terms = try? CompressionTerms([
            input.changed("permessage-deflate; client_max_window_bits=12", with: [";", "=", "\"", "8", "15"])
        ]) {
            try demand((9...15).contains(terms.clientWindowBits), "\(terms)")
        }
    }
}
