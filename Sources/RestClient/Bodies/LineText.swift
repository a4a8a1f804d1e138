// SPDX-License-Identifier: MIT

import RestEssentials

struct LineText: ChunkParser {
    private var splitter: LineSplitter
    private var text: UnicodeChunks
    private var defect: DecodingError?

    init(contentType: String?, limit: Int) {
        splitter = LineSplitter(.lineFeeds, limit: limit)
        do throws(DecodingError) {
            text = UnicodeChunks(try .named(by: contentType))
        } catch {
            text = UnicodeChunks(.utf8)
            defect = error
        }
    }

    mutating func receive(_ chunk: Data) {
        splitter.receive(text.converted(chunk))
    }

    mutating func next() throws -> String? {
        if let defect {
            throw RestClientError(.decodingFailed, DecodingReason.describe(defect), underlying: defect)
        }
        return try splitter.next().map { String(decoding: $0, as: UTF8.self) }
    }

    mutating func finish() throws -> String? {
        let rest = text.finish()
        if !rest.isEmpty {
            splitter.receive(rest)
        }
        return try next() ?? splitter.finish().map { String(decoding: $0, as: UTF8.self) }
    }
}

/// Converts a text that arrives in chunks to UTF-8, without its byte order mark.
struct UnicodeChunks: Sendable {
    private static let marks: [[UInt8]] = [[0xEF, 0xBB, 0xBF], [0xFE, 0xFF], [0xFF, 0xFE]]

    private var encoding: TextEncoding
    /// True until a byte order mark is complete or excluded.
    private var isAtStart = true
    private var held = Data()

    init(_ encoding: TextEncoding) {
        self.encoding = encoding
    }

    /// Returns a chunk in UTF-8, as far as its characters are complete.
    mutating func converted(_ chunk: Data) -> Data {
        convert(held.isEmpty ? chunk : held + chunk, isLast: false)
    }

    /// Returns the rest of the text; what is incomplete becomes a replacement character.
    mutating func finish() -> Data {
        convert(held, isLast: true)
    }

    private mutating func convert(_ bytes: Data, isLast: Bool) -> Data {
        held = Data()
        var bytes = bytes
        if isAtStart {
            let mayBecomeMark = Self.marks.contains { $0.count > bytes.count && $0.starts(with: bytes) }
            guard isLast || !mayBecomeMark else {
                held = bytes
                return Data()
            }
            isAtStart = false
            if let mark = TextEncoding.mark(of: bytes) {
                encoding = mark.encoding
                bytes = bytes.dropFirst(mark.length)
            }
        }
        guard encoding != .utf8 else {
            return bytes
        }
        if !isLast {
            var excess = bytes.count % encoding.unitLength
            // The first half of a pair waits for the second one.
            if encoding.unitLength == 2,
                encoding.units(of: bytes.dropLast(excess).suffix(2)).first.map(UTF16.isLeadSurrogate) ?? false
            {
                excess += 2
            }
            held = bytes.suffix(excess)
            bytes = bytes.dropLast(excess)
        }
        var text = String(decoding: encoding.units(of: bytes), as: UTF16.self)
        if !bytes.count.isMultiple(of: encoding.unitLength) {
            text += "\u{FFFD}"
        }
        return Data(text.utf8)
    }
}
