// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials

/// Splits bytes into JSON texts, one per line (NDJSON, JSON lines): a pure value.
///
/// Blank lines are skipped, the last line needs no terminator, and a byte order mark at the beginning is ignored (RFC
/// 8259, section 8.1). JSON texts contain no line breaks, so a line is a complete value.
struct JSONLineSplitter: Sendable {
    private var lines: LineSplitter
    private var mark = ByteOrderMark()

    /// The number of the last returned line, including blank ones; zero before the first one.
    private(set) var number = 0

    init(limit: Int = 16 << 20) {
        lines = LineSplitter(.lineFeeds, limit: limit)
    }

    mutating func receive(_ chunk: Data) {
        lines.receive(mark.removed(from: chunk))
    }

    mutating func next() throws(RestClientError) -> Data? {
        while let line = try lines.next() {
            number += 1
            if !Self.isBlank(line) {
                return line
            }
        }
        return nil
    }

    /// Returns the remaining lines at the end of the bytes, one at a time; `nil` if there are no more.
    mutating func finish() throws(RestClientError) -> Data? {
        if let rest = mark.finish() {
            lines.receive(rest)
        }
        if let line = try next() {
            return line
        }
        guard let line = try lines.finish() else {
            return nil
        }
        number += 1
        return Self.isBlank(line) ? nil : line
    }

    func failure(_ underlying: any Error) -> RestClientError {
        RestClientError(.decodingFailed, "line \(number) of the response cannot be decoded", underlying: underlying)
    }

    /// True for a line that consists only of JSON white space (RFC 8259, section 2).
    private static func isBlank(_ line: Data) -> Bool {
        line.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == .carriageReturn }
    }
}

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
