// SPDX-License-Identifier: MIT

import RestEssentials

/// Splits bytes into JSON texts, one a line (NDJSON, JSON lines): pure.
///
/// Blank lines are passed over, the last line needs no end, and a byte order mark at the beginning is ignored (RFC
/// 8259, section 8.1). JSON texts hold no line breaks, so that a line is a whole value.
struct JSONLineSplitter: Sendable {
    private var lines: LineSplitter
    private var mark = ByteOrderMark()

    /// The number of the line that was returned last, the blank ones counted; zero before the first one.
    private(set) var number = 0

    /// Creates a splitter.
    ///
    /// - Parameter limit: How many bytes a line may have.
    init(limit: Int = 16 << 20) {
        lines = LineSplitter(.lineFeeds, limit: limit)
    }

    /// Adds the next bytes.
    mutating func receive(_ chunk: Data) {
        lines.receive(mark.removed(from: chunk))
    }

    /// Returns the next line that is not blank; `nil` if more bytes are needed.
    ///
    /// - Throws: ``RestClientError`` if a line is too long.
    mutating func next() throws(RestClientError) -> Data? {
        while let line = try lines.next() {
            number += 1
            if !Self.isBlank(line) {
                return line
            }
        }
        return nil
    }

    /// Returns what is left at the end of the bytes, line by line; `nil` if there is nothing more.
    ///
    /// - Throws: ``RestClientError`` if a line is too long.
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

    /// Returns the error of a line whose JSON cannot be decoded.
    ///
    /// - Parameter underlying: The decoder's error.
    /// - Returns: The error, which names the line.
    func failure(_ underlying: any Error) -> RestClientError {
        RestClientError(
            .decodingFailed,
            "line \(number) of the response cannot be decoded",
            underlying: underlying
        )
    }

    /// True for a line of nothing but JSON's white space (RFC 8259, section 2).
    private static func isBlank(_ line: Data) -> Bool {
        line.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == .carriageReturn }
    }
}
