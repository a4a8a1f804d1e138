// SPDX-License-Identifier: MIT

import RestEssentials

/// Reads the lines of a head, and what they say about the body behind it.
///
/// The lines may come in pieces. A line that is complete is read once; one that is not is read again, but only once its
/// end has come, so that the work grows with the bytes however they are cut.
struct HeadReader {
    /// The place at which the next line begins.
    private var position = 0
    /// The place before which the unfinished line has no end.
    private var scanned = 0
    private var hasStatusLine: Bool

    private(set) var status = 0
    private(set) var minorVersion = 1
    private(set) var reason = 0..<0
    private(set) var fieldsStart = 0
    private(set) var fieldCount = 0
    /// The place of the CR of a line that goes on in the next one; see ``takeFold()``.
    private var fold: Int?
    private var foldCount = 0
    private(set) var contentLength: Int?
    /// The digits of the length: readers differ about `05`, so that it is another one than `5`.
    private var lengthDigits = 0
    private(set) var isChunked = false
    private(set) var closes = false
    private(set) var keepsAlive = false
    private(set) var hasContentCoding = false

    /// Creates a reader.
    ///
    /// - Parameter hasStatusLine: False for trailers, which begin with a field.
    init(hasStatusLine: Bool = true) {
        self.hasStatusLine = !hasStatusLine
    }

    /// Moves the places back because the bytes before one of them are not kept.
    mutating func drop(_ count: Int) {
        position -= count
        scanned -= count
        reason = reason.lowerBound - count..<reason.upperBound - count
        fieldsStart -= count
        fold = fold.map { $0 - count }
    }

    /// Returns the place of CR and LF behind which a field goes on, once they were read.
    ///
    /// The caller replaces both bytes by spaces (RFC 9112, section 5.2), and reads on: the line is read again.
    mutating func takeFold() -> Int? {
        defer { fold = nil }
        if let fold {
            scanned = position
            return fold
        }
        return nil
    }

    /// Begins at a place of the bytes.
    mutating func start(at place: Int) {
        position = place
        scanned = place
        fieldsStart = place
    }

    /// Reads on.
    ///
    /// - Parameters:
    ///   - bytes: The bytes from the first line on; each time the same, and more behind them.
    ///   - limit: The maximum number of fields.
    /// - Returns: The place behind the empty line; `nil` if it has not come yet, or if a line goes on in the next one.
    /// - Throws: The rule that a line breaks.
    mutating func read(_ bytes: borrowing Span<UInt8>, fieldLimit limit: Int) throws(ResponseDefect) -> Int? {
        while true {
            if scanned > position {
                while scanned < bytes.count, bytes[scanned] != .lineFeed {
                    scanned += 1
                }
                guard scanned < bytes.count else {
                    return nil
                }
            }
            let end = hasStatusLine ? try readField(bytes, limit) : try readStatusLine(bytes)
            guard let end else {
                scanned = bytes.count
                return nil
            }
            let isEmptyLine = hasStatusLine && end - position == 2 && bytes[position] == .carriageReturn
            position = end
            scanned = end
            if isEmptyLine {
                return end
            }
            if !hasStatusLine {
                hasStatusLine = true
                fieldsStart = end
            }
        }
    }

    // MARK: - Status line

    /// Returns the place behind the line; `nil` if its end is missing.
    private mutating func readStatusLine(_ bytes: borrowing Span<UInt8>) throws(ResponseDefect) -> Int? {
        // "HTTP/1.1 200", followed by a reason or by nothing.
        var place = position
        for expected in "HTTP/".utf8 {
            guard place < bytes.count else {
                return nil
            }
            guard bytes[place] == expected else {
                throw .statusLine
            }
            place += 1
        }
        guard place + 2 < bytes.count else {
            return nil
        }
        guard bytes[place].isDigit, bytes[place + 1] == UInt8(ascii: "."), bytes[place + 2].isDigit else {
            throw .statusLine
        }
        guard bytes[place] == UInt8(ascii: "1"), bytes[place + 2] <= UInt8(ascii: "1") else {
            throw .version
        }
        minorVersion = Int(bytes[place + 2] - UInt8(ascii: "0"))
        place += 3
        guard place + 4 < bytes.count else {
            return nil
        }
        guard bytes[place] == .space else {
            throw .statusLine
        }
        var code = 0
        for digit in place + 1...place + 3 {
            guard bytes[digit].isDigit else {
                throw .statusLine
            }
            code = code * 10 + Int(bytes[digit] - UInt8(ascii: "0"))
        }
        guard code >= 100 else {
            throw .status
        }
        status = code
        place += 4
        if bytes[place] == .space {
            place += 1
        } else if bytes[place] != .carriageReturn {
            throw .statusLine
        }
        let start = place
        guard Self.skipContent(bytes, &place) else {
            throw .statusLine
        }
        reason = start..<place
        return try Self.endOfLine(bytes, at: place, else: .statusLine)
    }

    /// Moves behind the content of a line.
    ///
    /// - Returns: False if it has a run of combining marks that no text needs; see ``MarkRun``.
    private static func skipContent(_ bytes: borrowing Span<UInt8>, _ place: inout Int) -> Bool {
        let start = place
        var union: UInt8 = 0
        while place < bytes.count, bytes[place].isFieldContent {
            union |= bytes[place]
            place += 1
        }
        guard union >= 0x80 else {
            return true
        }
        let content = bytes.extracting(start..<place)
        return unsafe !content.withUnsafeBufferPointer { unsafe MarkRun.isExcessive($0, areEscaped: false) }
    }

    /// Returns the place behind CR and LF; `nil` if one of them is missing because the bytes end.
    private static func endOfLine(
        _ bytes: borrowing Span<UInt8>,
        at place: Int,
        else defect: ResponseDefect
    ) throws(ResponseDefect) -> Int? {
        guard place < bytes.count else {
            return nil
        }
        guard bytes[place] == .carriageReturn else {
            throw bytes[place] == .lineFeed ? .lineEnd : defect
        }
        guard place + 1 < bytes.count else {
            return nil
        }
        guard bytes[place + 1] == .lineFeed else {
            throw .lineEnd
        }
        return place + 2
    }

    // MARK: - Fields

    /// Returns the place behind the line; `nil` if its end is missing.
    private mutating func readField(_ bytes: borrowing Span<UInt8>, _ limit: Int) throws(ResponseDefect) -> Int? {
        let start = position
        var place = start
        while place < bytes.count, bytes[place].isToken {
            place += 1
        }
        guard place < bytes.count else {
            return nil
        }
        let colon = place
        if colon == start {
            switch bytes[colon] {
            case .carriageReturn, .lineFeed: return try Self.endOfLine(bytes, at: colon, else: .lineEnd)
            case .space, .tab: throw .foldedLine
            default: throw .fieldName
            }
        }
        guard bytes[colon] == UInt8(ascii: ":") else {
            throw .fieldName
        }
        place += 1
        guard Self.skipContent(bytes, &place) else {
            throw .fieldValue
        }
        guard let end = try Self.endOfLine(bytes, at: place, else: .fieldValue) else {
            return nil
        }
        // The empty line is still to come, so that a byte follows in any case.
        guard end < bytes.count else {
            return nil
        }
        if bytes[end] == .space || bytes[end] == .tab {
            guard !Self.framesMessages(bytes, start..<colon) else {
                throw .foldedLine
            }
            foldCount += 1
            fold = place
        } else {
            fieldCount += 1
        }
        // Each fold costs as much time as a field, or more.
        guard fieldCount + foldCount <= limit else {
            throw .headTooLarge
        }
        guard fold == nil else {
            return nil
        }
        try note(bytes, start..<colon, colon + 1..<place)
        return end
    }

    /// Returns true for the fields whose values decide where messages end: readers differ about folded ones.
    private static func framesMessages(_ bytes: borrowing Span<UInt8>, _ name: Range<Int>) -> Bool {
        switch name.count {
        case 10: isEqual(bytes, name, "connection")
        case 14: isEqual(bytes, name, "content-length")
        case 16: isEqual(bytes, name, "proxy-connection")
        case 17: isEqual(bytes, name, "transfer-encoding")
        default: false
        }
    }

    /// Takes the field lines that concern the body and the connection.
    private mutating func note(
        _ bytes: borrowing Span<UInt8>,
        _ name: Range<Int>,
        _ value: Range<Int>
    ) throws(ResponseDefect) {
        switch name.count {
        case 10 where Self.isEqual(bytes, name, "connection"):
            noteConnection(bytes, value)
        case 14 where Self.isEqual(bytes, name, "content-length"):
            guard !isChunked else {
                throw .conflictingLengths
            }
            try noteLength(bytes, value)
        case 16 where Self.isEqual(bytes, name, "content-encoding"):
            hasContentCoding = true
        case 16 where Self.isEqual(bytes, name, "proxy-connection"):
            // A field of old proxies that means the same.
            noteConnection(bytes, value)
        case 17 where Self.isEqual(bytes, name, "transfer-encoding"):
            guard contentLength == nil else {
                throw .conflictingLengths
            }
            // HTTP/1.0 has no transfer codings, so that what stands between may read the message in another way.
            let coding = Self.trim(value, of: bytes)
            guard minorVersion == 1, !isChunked, Self.isEqual(bytes, coding, "chunked"),
                !Self.hasTab(bytes, coding.upperBound..<value.upperBound)
            else {
                throw .transferCoding
            }
            isChunked = true
        default:
            break
        }
    }

    /// Takes a length, or a list of equal ones, as some proxies join repeated lines (RFC 9110, section 8.6).
    private mutating func noteLength(_ bytes: borrowing Span<UInt8>, _ value: Range<Int>) throws(ResponseDefect) {
        var start = value.lowerBound
        while start <= value.upperBound {
            var end = start
            while end < value.upperBound, bytes[end] != UInt8(ascii: ",") {
                end += 1
            }
            let digits = Self.trim(start..<end, of: bytes)
            guard !Self.hasTab(bytes, digits.upperBound..<end) else {
                throw .contentLength
            }
            let length = try Self.number(bytes, digits)
            guard contentLength == nil || contentLength == length && lengthDigits == digits.count else {
                throw .conflictingLengths
            }
            contentLength = length
            lengthDigits = digits.count
            start = end + 1
        }
    }

    private mutating func noteConnection(_ bytes: borrowing Span<UInt8>, _ value: Range<Int>) {
        var start = value.lowerBound
        while start < value.upperBound {
            var end = start
            while end < value.upperBound, bytes[end] != UInt8(ascii: ",") {
                end += 1
            }
            let option = Self.trim(start..<end, of: bytes)
            if Self.isEqual(bytes, option, "close") {
                closes = true
            } else if Self.isEqual(bytes, option, "keep-alive"), !Self.hasTab(bytes, option.upperBound..<end) {
                keepsAlive = true
            }
            start = end + 1
        }
    }

    private static func number(_ bytes: borrowing Span<UInt8>, _ range: Range<Int>) throws(ResponseDefect) -> Int {
        guard !range.isEmpty else {
            throw .contentLength
        }
        var number = 0
        for place in range {
            let byte = bytes[place]
            guard byte.isDigit else {
                throw .contentLength
            }
            let (product, overflows) = number.multipliedReportingOverflow(by: 10)
            let (sum, exceeds) = product.addingReportingOverflow(Int(byte - UInt8(ascii: "0")))
            guard !overflows, !exceeds else {
                throw .contentLength
            }
            number = sum
        }
        return number
    }

    /// Returns true if a tab is among some bytes.
    ///
    /// Behind a value it is white space by the grammar, but not for every parser: llhttp takes it for a part of the
    /// value. Where the two would frame a message in two ways, it is refused.
    private static func hasTab(_ bytes: borrowing Span<UInt8>, _ range: Range<Int>) -> Bool {
        for place in range where bytes[place] == .tab {
            return true
        }
        return false
    }

    /// Returns a range without the white space at its ends.
    static func trim(_ range: Range<Int>, of bytes: borrowing Span<UInt8>) -> Range<Int> {
        var (start, end) = (range.lowerBound, range.upperBound)
        while start < end, bytes[start] == .space || bytes[start] == .tab {
            start += 1
        }
        while end > start, bytes[end - 1] == .space || bytes[end - 1] == .tab {
            end -= 1
        }
        return start..<end
    }

    /// Returns true if bytes are a word of letters and hyphens, whatever their case.
    private static func isEqual(_ bytes: borrowing Span<UInt8>, _ range: Range<Int>, _ word: String) -> Bool {
        guard range.count == word.utf8.count else {
            return false
        }
        var place = range.lowerBound
        for letter in word.utf8 {
            let byte = bytes[place]
            guard byte == letter || (letter.isLowercase && byte | 0x20 == letter) else {
                return false
            }
            place += 1
        }
        return true
    }
}
