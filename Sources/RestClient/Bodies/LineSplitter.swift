// SPDX-License-Identifier: MIT

import RestEssentials

/// Splits bytes that arrive in chunks into lines: a pure value, which copies each byte at most once.
///
/// A line within one chunk is a slice of it. The beginning of a line that continues in the next chunk is copied once.
/// Line terminators are ASCII, which no other UTF-8 character contains, so a chunk may end within a character.
struct LineSplitter: Sendable {
    enum Ends: Sendable {
        /// LF and CR LF, as in JSON lines and in most texts.
        case lineFeeds
        /// LF, CR LF and CR alone, as in server-sent events.
        case any
    }

    private let ends: Ends
    /// The maximum number of bytes in a line, without its terminator.
    private let limit: Int
    /// The beginning of a line, from earlier chunks.
    private var kept = Data()
    private var unread = Data()
    /// True after a CR, which forms one terminator with an LF, even in the next chunk.
    private var passesLineFeed = false
    private var failure: RestClientError?

    init(_ ends: Ends = .lineFeeds, limit: Int = 1 << 20) {
        self.ends = ends
        self.limit = max(0, limit)
    }

    var heldCount: Int { kept.count + unread.count }

    /// Adds the next bytes; read all lines before you add more, otherwise the rest is copied.
    mutating func receive(_ chunk: Data) {
        guard failure == nil else {
            return
        }
        unread = unread.isEmpty ? chunk : unread + chunk
    }

    /// Returns the next line without its terminator, if it is complete; after one that is too long, always throws.
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
            // A CR that may precede an LF does not belong to the line.
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

/// Removes the byte order mark from the beginning of a UTF-8 text that arrives in chunks.
struct ByteOrderMark: Sendable {
    private static let bytes: [UInt8] = [0xEF, 0xBB, 0xBF]

    private var held: Data? = Data()

    /// Returns a chunk without the mark; at the beginning possibly nothing, until the mark is complete or excluded.
    mutating func removed(from chunk: Data) -> Data {
        guard let held else {
            return chunk
        }
        let start = held.isEmpty ? chunk : held + chunk
        if start.starts(with: Self.bytes) {
            self.held = nil
            return start.dropFirst(Self.bytes.count)
        }
        if Self.bytes.starts(with: start) {
            self.held = start
            return Data()
        }
        self.held = nil
        return start
    }

    /// Returns the bytes that turned out not to be a mark at the end of the text; `nil` if there are none.
    mutating func finish() -> Data? {
        defer { held = nil }
        return held.flatMap { $0.isEmpty ? nil : $0 }
    }
}
