// SPDX-License-Identifier: MIT

import RestEssentials

/// Splits bytes that come in chunks into lines: pure, with no more than one copy of a byte.
///
/// A line within one chunk is a slice of it. The beginning of a line that goes on in the next chunk is kept, once. Ends
/// of lines are ASCII, which no other character of UTF-8 contains, so that a character may be cut by a chunk's border.
///
/// ```swift
/// splitter.receive(chunk)
/// while let line = try splitter.next() { … }
/// ```
struct LineSplitter: Sendable {
    /// The ends of lines that are known.
    enum Ends: Sendable {
        /// LF and CR LF, as in JSON lines and in most texts.
        case lineFeeds
        /// LF, CR LF and CR alone, as in server-sent events.
        case any
    }

    private let ends: Ends
    /// How many bytes a line may have, its end not counted.
    private let limit: Int
    /// The beginning of a line, from earlier chunks.
    private var kept = Data()
    /// The bytes that are not in a line yet.
    private var unread = Data()
    /// True after a CR, with which an LF makes one end, even in the next chunk.
    private var passesLineFeed = false
    private var failure: RestClientError?

    /// Creates a splitter.
    ///
    /// - Parameters:
    ///   - ends: The ends of lines that are known.
    ///   - limit: How many bytes a line may have.
    init(_ ends: Ends = .lineFeeds, limit: Int = 1 << 20) {
        self.ends = ends
        self.limit = max(0, limit)
    }

    /// The bytes that are held: the beginning of a line, and what was not asked for yet.
    var heldCount: Int { kept.count + unread.count }

    /// Adds the next bytes; ask for all lines before you add more, else what is left is copied.
    mutating func receive(_ chunk: Data) {
        guard failure == nil else {
            return
        }
        if unread.isEmpty {
            unread = chunk
        } else {
            unread = unread + chunk
        }
    }

    /// Returns the next line without its end; `nil` if more bytes are needed.
    ///
    /// - Throws: ``RestClientError`` with the code ``RestClientError/Code-swift.struct/lineTooLong``, from then on
    ///   every time.
    mutating func next() throws(RestClientError) -> Data? {
        if let failure {
            throw failure
        }
        if passesLineFeed, let first = unread.first {
            passesLineFeed = false
            if first == UInt8.lineFeed {
                unread = unread.dropFirst()
            }
        }
        guard let end = endOfLine() else {
            // The CR before an LF that may come does not belong to the line.
            try check(kept.count + unread.count - (endsInReturn ? 1 : 0))
            kept.append(unread)
            unread = Data()
            return nil
        }
        let isReturn = unread[end] == .carriageReturn
        var line = unread[unread.startIndex..<end]
        if !kept.isEmpty {
            kept.append(line)
            line = kept
            kept = Data()
        }
        if !isReturn, ends == .lineFeeds, line.last == .carriageReturn {
            line = line.dropLast()
        }
        unread = unread[(end + 1)...]
        passesLineFeed = isReturn
        try check(line.count)
        return line
    }

    /// Returns the last line, if the bytes do not end in the end of one; `nil` if there is none.
    ///
    /// - Throws: ``RestClientError`` if the line is too long.
    mutating func finish() throws(RestClientError) -> Data? {
        if let line = try next() {
            return line
        }
        guard !kept.isEmpty else {
            return nil
        }
        let line = ends == .lineFeeds && kept.last == .carriageReturn ? kept.dropLast() : kept
        kept = Data()
        return line
    }

    // MARK: - Ends

    private var endsInReturn: Bool {
        ends == .lineFeeds && (unread.last ?? kept.last) == .carriageReturn
    }

    private func endOfLine() -> Data.Index? {
        let bytes = unread.span
        for index in bytes.indices {
            let byte = bytes[index]
            if byte == .lineFeed || (byte == .carriageReturn && ends == .any) {
                return unread.startIndex + index
            }
        }
        return nil
    }

    private mutating func check(_ count: Int) throws(RestClientError) {
        guard count > limit else {
            return
        }
        let error = RestClientError(.lineTooLong, "a line of the response has more than \(limit) bytes")
        failure = error
        kept = Data()
        unread = Data()
        throw error
    }
}

extension UInt8 {
    static let lineFeed = UInt8(ascii: "\n")
    static let carriageReturn = UInt8(ascii: "\r")
}
