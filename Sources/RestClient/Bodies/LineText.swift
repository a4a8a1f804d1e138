// SPDX-License-Identifier: MIT

import RestEssentials

/// Decodes lines of text from bytes.
struct LineText: ChunkParser {
    private var splitter: LineSplitter

    init(limit: Int) {
        splitter = LineSplitter(.lineFeeds, limit: limit)
    }

    mutating func receive(_ chunk: Data) {
        splitter.receive(chunk)
    }

    mutating func next() throws -> String? {
        try splitter.next().map { String(decoding: $0, as: UTF8.self) }
    }

    mutating func finish() throws -> String? {
        try splitter.finish().map { String(decoding: $0, as: UTF8.self) }
    }
}
