// SPDX-License-Identifier: MIT

/// Reads responses of HTTP/1.1 strictly, by RFC 9112: no lock, clock or I/O.
///
/// Bytes may come in pieces of any size. Whatever is ambiguous is an error: a message that two readers read in two ways
/// is how a response is smuggled to somebody else. What RFC 9112 tells a client to mend is mended: a line that goes on
/// in the next one (section 5.2), and a length that is said several times (section 6.3).
///
/// ```swift
/// var offset = 0
/// while true {
///     switch try parser.next(bytes.span, &offset) {
///     case .needsMore: return                 // with the next bytes, and an offset of zero
///     case .interim: note(parser.takeHead())  // 103 and the like
///     case .head: use(parser.takeHead())
///     case .body(let range): append(bytes[range])
///     case .end: finish()                     // bytes behind the offset belong to no response
///     case .handover: handOver()              // bytes behind the offset are those of another protocol
///     }
/// }
/// ```
package struct ResponseParser {
    /// The limits of a response besides its body.
    package struct Limits: Sendable {
        /// The bytes of a head.
        package var headBytes = 128 << 10
        /// The fields of a head.
        package var fieldCount = 256
        /// The interim responses before a response.
        package var interimCount = 32
        /// The bytes of all lines with sizes of chunks, extensions and trailers of one response that are not sizes.
        package var chunkExtras = 16 << 10

        package init() {}
    }

    /// The response that makes the connection one of another protocol.
    package enum Handover: Sendable {
        case none
        /// 101, to a request with `Upgrade` (RFC 9110, section 7.8).
        case upgrade
        /// Any success, to `CONNECT` (RFC 9110, section 9.3.6).
        case tunnel
    }

    /// The next part of a response.
    package enum Event: Hashable {
        /// All bytes are read, and the response goes on.
        case needsMore
        /// The head of an interim response has come.
        case interim
        /// The head of the response has come.
        case head
        /// Bytes of the body, by their places among those that were passed.
        case body(Range<Int>)
        /// The response is complete.
        case end
        /// The head of the response has come, and the connection carries another protocol behind it.
        case handover
    }

    private enum Phase {
        case head
        case counted
        case chunkSize
        case chunkExtension(ChunkExtension)
        case chunkSizeEnd
        case chunkData
        case chunkEnd
        case chunkEndOfLine
        case trailers
        case untilClose
        case end
    }

    private let limits: Limits
    private var phase = Phase.head
    private let isHead: Bool
    private let handover: Handover
    private var reader = HeadReader()
    private var partial: [UInt8] = []
    private var finishedHead: HeadBytes?
    private var interimCount = 0
    /// The bytes of the body or of the chunk that have not come.
    private var remaining = 0
    private var digitCount = 0
    private var extras = 0

    /// A Boolean value that is true if the connection may carry another exchange after the response.
    package private(set) var keepsConnection = false

    /// A Boolean value that is true if the body has a content coding, so that its bytes are not the content.
    package private(set) var hasContentCoding = false

    /// The number of bytes of the body; `nil` if the head does not say.
    package private(set) var bodyLength: Int?

    /// A Boolean value that is true if nothing of a response has come.
    package private(set) var isUntouched = true

    /// Creates a parser for the response to a request.
    ///
    /// - Parameters:
    ///   - isHead: True if the method of the request is `HEAD`, whose response has no body.
    ///   - handover: The response behind which the connection carries another protocol.
    ///   - limits: The limits of a response besides its body.
    package init(isHead: Bool = false, handover: Handover = .none, limits: Limits = Limits()) {
        self.isHead = isHead
        self.handover = handover
        self.limits = limits
    }

    /// Begins with the response to the next request.
    package mutating func begin(isHead: Bool, handover: Handover = .none) {
        self = ResponseParser(isHead: isHead, handover: handover, limits: limits)
    }

    /// Returns the head that has come.
    package mutating func takeHead() -> HeadBytes? {
        finishedHead.take()
    }

    /// Reads on.
    ///
    /// - Parameters:
    ///   - bytes: The bytes that have come.
    ///   - offset: The place up to which they were read; it moves on.
    /// - Returns: The parts that have come.
    /// - Throws: The rule that the response breaks. Nothing may be read afterwards.
    package mutating func next(
        _ bytes: borrowing Span<UInt8>,
        _ offset: inout Int
    ) throws(ResponseDefect) -> Event {
        while offset < bytes.count {
            isUntouched = false
            switch phase {
            case .head:
                guard try readLines(bytes, &offset, limit: limits.headBytes, else: .headTooLarge) else {
                    return .needsMore
                }
                return try finishHead()
            case .counted:
                let range = take(bytes, &offset)
                if remaining == 0 {
                    phase = .end
                }
                return .body(range)
            case .chunkData:
                let range = take(bytes, &offset)
                if remaining == 0 {
                    phase = .chunkEnd
                }
                return .body(range)
            case .untilClose:
                defer { offset = bytes.count }
                return .body(offset..<bytes.count)
            case .trailers:
                guard try readLines(bytes, &offset, limit: limits.chunkExtras - extras, else: .trailers) else {
                    return .needsMore
                }
                guard reader.contentLength == nil, !reader.isChunked else {
                    throw .trailers
                }
                partial = []
                phase = .end
            case .end:
                return .end
            default:
                try readChunkLine(bytes[offset])
                offset += 1
            }
        }
        if case .end = phase {
            return .end
        }
        return .needsMore
    }

    /// Takes the end of the connection.
    ///
    /// - Returns: True if it completes the response.
    package mutating func finish() -> Bool {
        switch phase {
        case .untilClose:
            phase = .end
            return true
        case .end:
            return true
        default:
            return false
        }
    }

    /// A Boolean value that is true if only the end of the connection tells that the body is complete.
    package var lastsUntilClose: Bool {
        if case .untilClose = phase { true } else { false }
    }

    // MARK: - Head

    /// Reads lines up to the empty one, or keeps what there is of them.
    ///
    /// - Returns: True if the empty line has come.
    private mutating func readLines(
        _ bytes: borrowing Span<UInt8>,
        _ offset: inout Int,
        limit: Int,
        else defect: ResponseDefect
    ) throws(ResponseDefect) -> Bool {
        let before = partial.count
        if before == 0 {
            reader.start(at: offset)
            if let end = try reader.read(bytes, fieldLimit: limits.fieldCount) {
                guard end - offset <= limit else {
                    throw defect
                }
                if case .head = phase {
                    let head = HeadBytes(Self.copy(bytes, offset..<end), reader, from: offset)
                    finishedHead = head
                }
                offset = end
                return true
            }
            reader.drop(offset)
        }
        // Bytes behind the limit are only copied to be refused.
        for place in offset..<min(bytes.count, offset + max(0, limit - before) + 1) {
            partial.append(bytes[place])
        }
        var reader = reader
        var end = before > 0 ? try reader.read(partial.span, fieldLimit: limits.fieldCount) : nil
        while end == nil, let fold = reader.takeFold(), fold + 1 < partial.count {
            partial[fold] = .space
            partial[fold + 1] = .space
            end = try reader.read(partial.span, fieldLimit: limits.fieldCount)
        }
        self.reader = reader
        guard (end ?? partial.count) <= limit else {
            throw defect
        }
        guard let end else {
            offset = bytes.count
            return false
        }
        offset += end - before
        if case .head = phase {
            partial.removeLast(partial.count - end)
            finishedHead = HeadBytes(partial, reader, from: 0)
        }
        partial = []
        return true
    }

    private static func copy(_ bytes: borrowing Span<UInt8>, _ range: Range<Int>) -> [UInt8] {
        let part = bytes.extracting(range)
        return unsafe part.withUnsafeBufferPointer { unsafe Array($0) }
    }

    private mutating func finishHead() throws(ResponseDefect) -> Event {
        let head = reader
        reader = HeadReader()
        if handsOver(head) {
            phase = .end
            return .handover
        }
        guard head.status != 101 else {
            throw .unexpectedUpgrade
        }
        let keepsConnection = !head.closes && (head.minorVersion == 1 || head.keepsAlive)
        guard head.status >= 200 else {
            // Whatever follows on a connection that is to be closed is not the response.
            guard keepsConnection else {
                throw .closedByInterimResponse
            }
            interimCount += 1
            guard interimCount <= limits.interimCount else {
                throw .tooManyInterimResponses
            }
            return .interim
        }
        hasContentCoding = head.hasContentCoding
        self.keepsConnection = keepsConnection
        if isHead || head.status == 204 || head.status == 304 {
            bodyLength = 0
            phase = .end
        } else if head.isChunked {
            phase = .chunkSize
        } else if let length = head.contentLength {
            bodyLength = length
            remaining = length
            phase = length == 0 ? .end : .counted
        } else {
            self.keepsConnection = false
            phase = .untilClose
        }
        return .head
    }

    /// Returns true if the head is the last thing that the connection carries of HTTP.
    private func handsOver(_ head: HeadReader) -> Bool {
        switch handover {
        case .none: false
        case .upgrade: head.status == 101 && head.minorVersion == 1
        case .tunnel: 200..<300 ~= head.status
        }
    }

    // MARK: - Body

    /// Takes the bytes of a body or chunk that have come.
    private mutating func take(_ bytes: borrowing Span<UInt8>, _ offset: inout Int) -> Range<Int> {
        let range = offset..<offset + min(remaining, bytes.count - offset)
        remaining -= range.count
        offset = range.upperBound
        return range
    }

    /// Reads one byte between the data of two chunks.
    private mutating func readChunkLine(_ byte: UInt8) throws(ResponseDefect) {
        switch phase {
        case .chunkSize:
            if let digit = byte.hexadecimalValue {
                guard remaining <= (Int.max - 15) / 16 else {
                    throw .chunkSize
                }
                remaining = remaining * 16 + digit
                digitCount += 1
                // Leading zeros do not overflow, but there need not be more of them than of anything else.
                if digitCount > 16 {
                    try countExtra()
                }
                return
            }
            guard digitCount > 0 else {
                throw .chunkSize
            }
            switch byte {
            case .carriageReturn: phase = .chunkSizeEnd
            case UInt8(ascii: ";"):
                try countExtra()
                phase = .chunkExtension(.nameStart)
            case .space, .tab:
                try countExtra()
                phase = .chunkExtension(.afterValue)
            case .lineFeed: throw .lineEnd
            default: throw .chunkSize
            }
        case .chunkExtension(let part):
            try countExtra()
            if let next = try part.next(byte) {
                phase = .chunkExtension(next)
            } else {
                phase = .chunkSizeEnd
            }
        case .chunkSizeEnd:
            guard byte == .lineFeed else {
                throw .lineEnd
            }
            digitCount = 0
            if remaining == 0 {
                reader = HeadReader(hasStatusLine: false)
                phase = .trailers
            } else {
                phase = .chunkData
            }
        case .chunkEnd:
            guard byte == .carriageReturn else {
                throw .chunkEnd
            }
            phase = .chunkEndOfLine
        default:
            guard byte == .lineFeed else {
                throw .chunkEnd
            }
            phase = .chunkSize
        }
    }

    private mutating func countExtra() throws(ResponseDefect) {
        extras += 1
        guard extras <= limits.chunkExtras else {
            throw .chunkExtension
        }
    }
}
