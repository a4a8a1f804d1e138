// SPDX-License-Identifier: MIT

import RestEssentials
import SeededRandom

/// Frames as a server of HTTP/2 might send them for some requests: right, and known to be so; or with a few changes.
package struct FrameSample {
    /// A response, and what is left of it to be sent.
    private struct Response {
        let isHead: Bool
        var interim: [Int] = []
        var status = 200
        var fields: [(name: String, value: String)] = []
        var isHeadSent = false
        var pieces: [[UInt8]] = []
        var hasTrailers = false
        var hasEnded = false
    }

    /// The methods of the requests, for the streams 1, 3 and so on.
    package let methods: [String]
    /// The frames in their order, the settings first.
    package private(set) var frames: [[UInt8]] = []
    /// The responses of the streams, in words.
    package private(set) var outcomes: [Int: String] = [:]
    /// The frames of the server that ask for a reply.
    package private(set) var questions = 0

    private var random: SeededGenerator
    private var responses: [Response] = []
    /// True if the field that is in the table of all has been sent.
    private var isTableFilled = false

    /// Creates the sample of a seed: the same for the same seed.
    package init(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        methods = (0..<Int.random(in: 1...5, using: &random))
            .map { _ in Int.random(in: 0..<8, using: &random) == 0 ? "HEAD" : "GET" }
        self.random = random
        for (place, method) in methods.enumerated() {
            responses.append(makeResponse(isHead: method == "HEAD", stream: 2 * place + 1))
        }
        addSettings()
        while true {
            let open = responses.indices.filter { !responses[$0].hasEnded }
            guard let place = open.randomElement(using: &self.random) else {
                break
            }
            addNoise()
            addPart(of: place)
        }
    }

    /// Changes some bytes or frames.
    package mutating func mutate() {
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let place = Int.random(in: 0..<frames.count, using: &random)
            switch Int.random(in: 0..<8, using: &random) {
            case 0: frames.remove(at: place)
            case 1: frames.insert(frames[place], at: Int.random(in: 0...frames.count, using: &random))
            case 2: frames.swapAt(place, Int.random(in: 0..<frames.count, using: &random))
            case 3: frames[place].removeLast(Int.random(in: 1...frames[place].count, using: &random))
            case 4: frames[place][4] = UInt8.random(in: 0...255, using: &random)
            default:
                let byte = Int.random(in: 0..<frames[place].count, using: &random)
                frames[place][byte] = UInt8.random(in: 0...255, using: &random)
            }
            // What is changed next has a head to change.
            frames.removeAll { $0.count < 9 }
            if frames.isEmpty {
                addSettings()
            }
        }
    }

    /// Cuts the bytes of all frames into pieces at places that the seed chooses.
    package mutating func pieces() -> [ArraySlice<UInt8>] {
        let bytes = frames.flatMap { $0 }
        let longest = [1, 2, 7, 40, 1_000].randomElement(using: &random) ?? 1
        var pieces: [ArraySlice<UInt8>] = []
        var start = 0
        while start < bytes.count {
            let end = min(bytes.count, start + Int.random(in: 1...longest, using: &random))
            pieces.append(bytes[start..<end])
            start = end
        }
        return pieces
    }

    // MARK: - Responses

    private mutating func makeResponse(isHead: Bool, stream: Int) -> Response {
        var response = Response(isHead: isHead)
        response.interim = (0..<Int.random(in: 0...6, using: &random) / 4)
            .map { _ in [100, 102, 103].randomElement(using: &random) ?? 100 }
        response.status = [200, 200, 200, 204, 304, 404, 500, 599].randomElement(using: &random) ?? 200
        let hasBody = !isHead && response.status != 204 && response.status != 304
        if hasBody {
            let count = [0, 1, 5, 40].randomElement(using: &random) ?? 0
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                response.pieces.append((0..<count).map { _ in UInt8.random(in: 0...255, using: &random) })
            }
        }
        response.hasTrailers = Int.random(in: 0..<4, using: &random) == 0
        let body = response.pieces.flatMap { $0 }
        if Bool.random(using: &random) {
            response.fields.append(("content-length", String(hasBody ? body.count : 7)))
        }
        for _ in 0..<Int.random(in: 0...2, using: &random) {
            let value = ["", "y", "a\tb", String(repeating: "z", count: 200)].randomElement(using: &random) ?? ""
            response.fields.append(("x-\(stream)", value))
        }
        if Bool.random(using: &random) {
            response.fields.append(("x-table", "kept"))
        }
        var lines = response.interim.map { "interim \($0)" }
        lines.append("head \(response.status)")
        lines += response.fields.map { "\($0.name): \($0.value)" }
        outcomes[stream] = (lines + ["body \(body)", "end"]).joined(separator: "\n")
        return response
    }

    /// Adds the next part of a response.
    private mutating func addPart(of place: Int) {
        let stream = 2 * place + 1
        if let interim = responses[place].interim.first {
            responses[place].interim.removeFirst()
            addBlock(status(interim), on: stream, ends: false)
        } else if !responses[place].isHeadSent {
            responses[place].isHeadSent = true
            var fields: [UInt8] = []
            for (name, value) in responses[place].fields {
                fields += field(name, value)
            }
            let isLast = responses[place].pieces.isEmpty && !responses[place].hasTrailers
            let ends = isLast && Bool.random(using: &random)
            responses[place].hasEnded = ends
            addBlock(status(responses[place].status) + fields, on: stream, ends: ends)
        } else if let piece = responses[place].pieces.first {
            responses[place].pieces.removeFirst()
            let isLast = responses[place].pieces.isEmpty && !responses[place].hasTrailers
            let ends = isLast && Bool.random(using: &random)
            responses[place].hasEnded = ends
            addPayload(0, ends ? 1 : 0, stream, piece)
        } else {
            responses[place].hasEnded = true
            if responses[place].hasTrailers {
                addBlock(field("x-sum", "1"), on: stream, ends: true)
            } else {
                addPayload(0, 1, stream, [])
            }
        }
    }

    // MARK: - Fields

    private mutating func status(_ status: Int) -> [UInt8] {
        switch status {
        case 200: [0x88]
        case 204: [0x89]
        case 304: [0x8B]
        case 404: [0x8D]
        case 500: [0x8E]
        // A literal without indexing, with the name of an entry of the static table.
        default: [0x08, 3] + Array(String(status).utf8)
        }
    }

    private mutating func field(_ name: String, _ value: String) -> [UInt8] {
        if name == "x-table", isTableFilled, Bool.random(using: &random) {
            return [0xBE]
        }
        var isIndexed = false
        if name == "x-table", !isTableFilled {
            isIndexed = true
            isTableFilled = true
        }
        let kind: UInt8 = isIndexed ? 0x40 : Bool.random(using: &random) ? 0x00 : 0x10
        return [kind] + text(name) + text(value)
    }

    /// Returns a text of less than 255 bytes, not compressed.
    private func text(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        return (bytes.count < 127 ? [UInt8(bytes.count)] : [127, UInt8(bytes.count - 127)]) + bytes
    }

    // MARK: - Frames

    private mutating func add(_ kind: UInt8, _ flags: UInt8, _ stream: Int, _ payload: [UInt8]) {
        let count = payload.count
        let head = [0, UInt8(truncatingIfNeeded: count >> 8), UInt8(truncatingIfNeeded: count), kind, flags]
        frames.append(head + [0, 0, 0, UInt8(truncatingIfNeeded: stream)] + payload)
    }

    /// Adds a frame that may be padded.
    private mutating func addPayload(_ kind: UInt8, _ flags: UInt8, _ stream: Int, _ payload: [UInt8]) {
        guard Int.random(in: 0..<4, using: &random) == 0 else {
            return add(kind, flags, stream, payload)
        }
        let padding = UInt8.random(in: 0...9, using: &random)
        add(kind, flags | 0x8, stream, [padding] + payload + [UInt8](repeating: 0, count: Int(padding)))
    }

    /// Adds a block of fields in as many frames as the seed says.
    private mutating func addBlock(_ block: [UInt8], on stream: Int, ends: Bool) {
        var pieces: [[UInt8]] = [block]
        if Int.random(in: 0..<4, using: &random) == 0 {
            let place = Int.random(in: 0...block.count, using: &random)
            pieces = [Array(block[..<place]), Array(block[place...])]
        }
        let flags: UInt8 = (ends ? 0x1 : 0) | (pieces.count == 1 ? 0x4 : 0)
        if Int.random(in: 0..<8, using: &random) == 0 {
            addPayload(1, flags | 0x20, stream, [0, 0, 0, 0, 9] + pieces[0])
        } else {
            addPayload(1, flags, stream, pieces[0])
        }
        if pieces.count > 1 {
            add(9, 0x4, stream, pieces[1])
        }
    }

    private mutating func addSettings() {
        let settings: [[UInt8]] = [
            [0, 1, 0, 0, 0, 0], [0, 2, 0, 0, 0, 0], [0, 3, 0, 0, 0, 9], [0, 4, 0, 0, 0, 1], [0, 5, 0, 0, 0x40, 0],
            [0, 6, 0, 1, 0, 0], [0, 9, 1, 2, 3, 4],
        ]
        questions += 1
        add(4, 0, 0, settings.shuffled(using: &random).prefix(Int.random(in: 0...3, using: &random)).flatMap { $0 })
    }

    /// Adds what says nothing of a response.
    private mutating func addNoise() {
        let ping = (0..<8).map { _ in UInt8.random(in: 0...255, using: &random) }
        switch Int.random(in: 0..<20, using: &random) {
        case 0:
            questions += 1
            add(6, 0, 0, ping)
        case 1: add(6, 1, 0, ping)
        case 2: addSettings()
        case 3: add(4, 1, 0, [])
        case 4: add(8, 0, 0, [0, 0, 0, 9])
        case 5: add(8, 0, 1, [0, 0, 0, 9])
        case 6: add(2, 0, 7, [0, 0, 0, 0, 9])
        case 7: add(0x16, 0xFF, 9, ping)
        default: break
        }
    }
}
