// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials

struct JSONLineValues<Value: Decodable & Sendable>: ChunkParser {
    private let headers: HTTPFields
    private let reader: any BodyReader
    private var splitter: JSONLineSplitter

    init(headers: HTTPFields, reader: any BodyReader, limit: Int) {
        self.headers = headers
        self.reader = reader
        splitter = JSONLineSplitter(limit: limit)
    }

    mutating func receive(_ chunk: Data) {
        splitter.receive(chunk)
    }

    mutating func next() throws -> Value? {
        try splitter.next().map(decode)
    }

    mutating func finish() throws -> Value? {
        try splitter.finish().map(decode)
    }

    private func decode(_ line: Data) throws -> Value {
        do {
            return try reader.decode(Value.self, from: RawResponse(headers: headers, body: Data(line)))
        } catch {
            throw splitter.failure(error)
        }
    }
}
