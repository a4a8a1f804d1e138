// SPDX-License-Identifier: MIT

import RestEssentials
import SeededRandom

/// A response as a server might send it: mostly right, with a few bytes changed.
package struct ResponseSample: Sendable {
    /// The bytes up to the end of the connection.
    package var bytes: [UInt8]
    /// True if the request was a HEAD request.
    package var isHead: Bool

    package init(_ bytes: [UInt8], isHead: Bool = false) {
        self.bytes = bytes
        self.isHead = isHead
    }

    package init(_ text: String, isHead: Bool = false) {
        self.init(Array(text.utf8), isHead: isHead)
    }

    /// Creates the sample of a seed: the same for the same seed.
    package init(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var text: [UInt8] = []
        for _ in 0..<Int.random(in: 0...6, using: &random) / 5 {
            text += Self.head([100, 102, 103].randomElement(using: &random) ?? 100, [], &random)
        }
        let body = Self.someBytes(&random)
        let status = [200, 200, 200, 200, 204, 304, 404, 500, 101, 199, 999, 99, 226].randomElement(using: &random)
        switch Int.random(in: 0..<10, using: &random) {
        case 0...3:
            text += Self.head(status ?? 200, ["Content-Length: \(body.count)"], &random) + body
        case 4...7:
            text += Self.head(status ?? 200, ["Transfer-Encoding: chunked"], &random) + Self.chunks(body, &random)
        case 8:
            text += Self.head(status ?? 200, [], &random) + body
        default:
            let framing = Array(Self.framings.shuffled(using: &random).prefix(Int.random(in: 1...3, using: &random)))
            text += Self.head(status ?? 200, framing, &random)
            text += Bool.random(using: &random) ? body : Self.chunks(body, &random)
        }
        if Int.random(in: 0..<10, using: &random) == 0 {
            text += Self.head(200, ["Content-Length: 0"], &random)
        }
        for _ in 0..<Self.pick([0, 1, 1, 1, 2, 4], &random) {
            Self.mutate(&text, &random)
        }
        bytes = text
        isHead = Int.random(in: 0..<12, using: &random) == 0
    }

    /// The same bytes cut into pieces at places that a seed chooses.
    package func pieces(seed: UInt64) -> [ArraySlice<UInt8>] {
        var random = SeededGenerator(seed: seed)
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

    private static func pick<Element>(_ elements: [Element], _ random: inout SeededGenerator) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &random)]
    }

    // MARK: - Parts

    private static let framings = [
        "Content-Length: 5", "Content-Length: 05", "Content-Length: +5", "Content-Length: 5, 5", "Content-Length:",
        "Content-Length: 5 5", "Content-Length: 0x5", "Content-Length: -1", "Content-Length: 18446744073709551615",
        "Content-Length: 9223372036854775808", "Content-Length: 18446744073709551621", "content-length: 7",
        "Transfer-Encoding: chunked", "transfer-encoding: CHUNKED", "Transfer-Encoding: gzip, chunked",
        "Transfer-Encoding: chunked, chunked", "Transfer-Encoding: chunked, gzip", "Transfer-Encoding: identity",
        "Transfer-Encoding: xchunked", "Transfer-Encoding: chunked;q=1", "Transfer-Encoding:", "Transfer-Encoding: ,",
        "Transfer-Encoding: chunked,", "Transfer-Encoding : chunked", "Transfer_Encoding: chunked",
        "Content-Length : 5", " Content-Length: 5", "Content_Length: 5",
    ]

    private static let lines = [
        "Content-Type: application/json", "Connection: close", "Connection: keep-alive", "Connection: Upgrade",
        "Connection: keep-alive, close", "Upgrade: websocket", "Server:", "X-Tab:\tvalue\t", "X-Spaces:   a b   ",
        "X-High: \u{E9}\u{4E2D}", "Proxy-Connection: close", "Keep-Alive: timeout=5", "Content-Encoding: gzip",
        "!#$%&'*+-.^_`|~: odd name", "X-Colon: a:b:c", "Trailer: X-Sum", "Set-Cookie: a=b", "Set-Cookie: c=d",
        "Date: Sun, 06 Nov 1994 08:49:37 GMT", ": no name", "No colon", "Sp ace: value", "\tFolded: value", " folded",
        "X-Quote: \"a\\\"b\"", "Connection: close, close", "Connection:", "Connection: clos", "X:",
    ]

    private static let versions = [
        "HTTP/1.1", "HTTP/1.1", "HTTP/1.1", "HTTP/1.1", "HTTP/1.1", "HTTP/1.1", "HTTP/1.0", "HTTP/1.0", "HTTP/0.9",
        "HTTP/2.0", "HTTP/1.2", "http/1.1", "HTTP/11", "RTSP/1.0", "ICY", "HTTP/1", "HTTP/1.", "HTTP/01.1",
    ]

    private static func head(_ status: Int, _ framing: [String], _ random: inout SeededGenerator) -> [UInt8] {
        let version = Int.random(in: 0..<4, using: &random) > 0 ? "HTTP/1.1" : pick(versions, &random)
        let reason = pick(["OK", "OK", "OK", "", "Not Found", "\u{E9}", "a\tb"], &random)
        let space = reason.isEmpty && Bool.random(using: &random) ? "" : " "
        var fields = framing
        for _ in 0..<Int.random(in: 0...4, using: &random) {
            let place = Int.random(in: 0...fields.count, using: &random)
            fields.insert(
                lines[Int.random(in: 0..<Int.random(in: 4...lines.count, using: &random), using: &random)],
                at: place
            )
        }
        let end = Int.random(in: 0..<40, using: &random) == 0 ? "\n" : "\r\n"
        return Array(([version + " \(status)" + space + reason] + fields + ["", ""]).joined(separator: end).utf8)
    }

    private static func someBytes(_ random: inout SeededGenerator) -> [UInt8] {
        let count = pick([0, 1, 5, 7, 16, 40], &random)
        return (0..<count)
            .map { _ in
                Bool.random(using: &random)
                    ? UInt8.random(in: 97...122, using: &random) : .random(in: 0...255, using: &random)
            }
    }

    private static let extensions = [
        ";a", ";a=b", ";a=\"b c\"", ";a=\"\\\"\"", ";a;b=c", " ;a", "; a", ";a =b", ";a= b", ";", ";a=", ";a=\"b", " ",
        ";a=\"b\"c", "\t", ";a=b\u{E9}", ";;", ";=b",
    ]

    private static let trailers = [
        "X-Sum: 1", "X-Sum:", "Content-Length: 3", "Transfer-Encoding: chunked", "Bad Name: 1", " folded",
        "Connection: close",
    ]

    private static func chunks(_ body: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
        var text: [UInt8] = []
        var rest = body[...]
        while !rest.isEmpty {
            let piece = rest.prefix(Int.random(in: 1...rest.count, using: &random))
            rest = rest.dropFirst(piece.count)
            text += size(piece.count, &random) + piece + Array("\r\n".utf8)
        }
        text += size(0, &random)
        for _ in 0..<Int.random(in: 0...5, using: &random) / 4 {
            text += Array((pick(trailers, &random) + "\r\n").utf8)
        }
        return text + Array("\r\n".utf8)
    }

    private static func size(_ count: Int, _ random: inout SeededGenerator) -> [UInt8] {
        var text = String(count, radix: 16, uppercase: Bool.random(using: &random))
        switch Int.random(in: 0..<40, using: &random) {
        case 0: text = "0000" + text
        case 1: text = "0x" + text
        case 2: text = "-" + text
        case 3: text = "1000000000000000" + text
        case 4: text = "FFFFFFFFFFFFFFF" + text
        case 5: text = ""
        default: break
        }
        if Int.random(in: 0..<8, using: &random) == 0 {
            text += pick(extensions, &random)
        }
        return Array((text + "\r\n").utf8)
    }

    // MARK: - Mutations

    private static let odd: [UInt8] = [
        0, 9, 10, 11, 12, 13, 32, 34, 44, 45, 46, 48, 49, 53, 58, 59, 61, 92, 97, 127, 128, 255,
    ]

    private static func mutate(_ text: inout [UInt8], _ random: inout SeededGenerator) {
        guard !text.isEmpty else {
            return
        }
        let place = Int.random(in: 0..<text.count, using: &random)
        switch Int.random(in: 0..<9, using: &random) {
        case 0: text[place] = pick(odd, &random)
        case 1: text.insert(pick(odd, &random), at: place)
        case 2: text.remove(at: place)
        case 3: text[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 4: text.removeSubrange(place..<min(text.count, place + Int.random(in: 1...8, using: &random)))
        case 5: text.removeLast(text.count - place)
        case 6:
            let part = Array(text[place..<min(text.count, place + Int.random(in: 1...20, using: &random))])
            text.insert(contentsOf: part, at: Int.random(in: 0...text.count, using: &random))
        case 7:
            let all = framings + lines
            let ends = text.indices.filter { text[$0] == 10 }
            let line = Array((pick(all, &random) + "\r\n").utf8)
            text.insert(contentsOf: line, at: ends.randomElement(using: &random).map { $0 + 1 } ?? 0)
        default:
            // One end of a line becomes another.
            let ends = text.indices.filter { text[$0] == 10 }
            if let end = ends.randomElement(using: &random) {
                let ends: [[UInt8]] = [[13], [10], [13, 13, 10], [13, 10, 13, 10], [32, 13, 10], [0, 13, 10], []]
                let start = end > 0 && text[end - 1] == 13 ? end - 1 : end
                text.replaceSubrange(start...end, with: pick(ends, &random))
            }
        }
    }
}
