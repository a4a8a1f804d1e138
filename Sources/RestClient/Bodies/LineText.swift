// SPDX-License-Identifier: MIT

import RestEssentials

/// Decodes lines of text from bytes.
struct LineText: ChunkParser {
    private var splitter: LineSplitter
    private var text: UnicodeChunks
    /// The encoding of the text is unknown.
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
        if let line = try next() {
            return line
        }
        return try splitter.finish().map { String(decoding: $0, as: UTF8.self) }
    }
}
