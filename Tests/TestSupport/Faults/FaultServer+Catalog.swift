// SPDX-License-Identifier: MIT

extension FaultServer.Fault {
    private static let ok = "HTTP/1.1 200 OK\r\n"
    private static let whole = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngood"
    private static let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

    private static func text(_ name: String, _ text: String, _ end: FaultServer.Step...) -> Self {
        Self(name, [.send(text)] + end)
    }

    // MARK: - Pace

    /// A valid response, a byte at a time.
    ///
    /// - Parameter interval: The time between two bytes.
    /// - Returns: The fault.
    public static func byteByByte(every interval: Duration) -> Self {
        Self("a byte at a time", [.trickle(Array(whole.utf8), every: interval)])
    }

    /// The server reads the request, and sends nothing.
    public static let stallBeforeHead = Self("a stall before the head", [.stall])
    /// The server stops within the header fields.
    public static let stallInHead = text("a stall in the head", ok + "Content-Le", .stall)
    /// The server stops within a body of known length.
    public static let stallInBody = text("a stall in the body", ok + "Content-Length: 100\r\n\r\nhalf", .stall)
    /// The server stops within a chunk.
    public static let stallInChunk = text("a stall in a chunk", chunked + "a\r\nhalf", .stall)
    /// The server stops within the body of the request, which it does not read further.
    public static let stallInRequest = Self("a stall in the request", at: .body(bytes: 1), [.stall])

    // MARK: - Cuts

    /// The connection is closed before the request is read.
    public static let closedAtOnce = Self("closed at once", at: .accepted, [.close])
    /// The connection is reset before the request is read.
    public static let resetAtOnce = Self("reset at once", at: .accepted, [.reset])
    /// The connection is closed when the head of the request arrives, as a server does that closes idle connections.
    public static let closedUnderRequest = Self("closed under a request", at: .head, [.close])
    /// The connection is closed after the request.
    public static let cutBeforeHead = Self("cut before the head", [.close])
    /// The connection is closed within the header fields.
    public static let cutInHead = text("cut in the head", ok + "Content-Le", .close)
    /// The connection is closed within a body of known length.
    public static let cutInBody = text("cut in the body", ok + "Content-Length: 100\r\n\r\nhalf", .close)
    /// The connection is reset within a body of known length.
    public static let resetInBody = text("reset in the body", ok + "Content-Length: 100\r\n\r\nhalf", .reset)
    /// The connection is closed within a chunk.
    public static let cutInChunk = text("cut in a chunk", chunked + "a\r\nhalf", .close)
    /// The connection is closed before the last chunk.
    public static let cutBeforeLastChunk = text("cut before the last chunk", chunked + "4\r\ngood\r\n", .close)
    /// The connection is closed after an interim response.
    public static let cutAfterInterim = text("cut after an interim response", "HTTP/1.1 103 Early\r\n\r\n", .close)

    // MARK: - Framing

    /// `Content-Length` is less than the body.
    public static let shortLength = text("a length that is too short", ok + "Content-Length: 2\r\n\r\ngood")
    /// `Content-Length` is negative.
    public static let negativeLength = text("a negative length", ok + "Content-Length: -4\r\n\r\ngood")
    /// `Content-Length` is not a number.
    public static let wordAsLength = text("a word as length", ok + "Content-Length: four\r\n\r\ngood")
    /// `Content-Length` exceeds all numbers.
    public static let endlessLength =
        text("a length beyond all numbers", ok + "Content-Length: 99999999999999999999\r\n\r\ngood")
    /// `Content-Length` comes twice, with different values.
    public static let twoLengths =
        text("two lengths", ok + "Content-Length: 4\r\nContent-Length: 2\r\n\r\ngood")
    /// The response has both `Content-Length` and chunks.
    public static let bothFramings =
        text("both framings", ok + "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n4\r\ngood\r\n0\r\n\r\n")
    /// The transfer coding is unknown.
    public static let unknownCoding = text("an unknown coding", ok + "Transfer-Encoding: foo\r\n\r\ngood", .close)
    /// `chunked` is not the last transfer coding.
    public static let chunkedFirst =
        text("chunked before gzip", ok + "Transfer-Encoding: chunked, gzip\r\n\r\n4\r\ngood\r\n0\r\n\r\n")
    /// The size of a chunk is not a number.
    public static let wordAsChunkSize = text("a word as chunk size", chunked + "zz\r\ngood\r\n0\r\n\r\n")
    /// The size of a chunk exceeds all numbers.
    public static let endlessChunk = text("a chunk beyond all numbers", chunked + "fffffffffffffffff\r\ngood")
    /// A chunk is longer than its size.
    public static let longChunk = text("a chunk that is too long", chunked + "2\r\ngood\r\n0\r\n\r\n")
    /// The server changes protocols without having been asked to.
    public static let unexpectedUpgrade =
        text(
            "an unexpected upgrade",
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: chat\r\nConnection: Upgrade\r\n\r\nx"
        )

    // MARK: - Lines

    /// The status line is not HTTP.
    public static let garbageLine = text("a garbage line", "SSH-2.0-OpenSSH_9.9\r\n\r\n")
    /// The status is not a number.
    public static let wordAsStatus = text("a word as status", "HTTP/1.1 abc OK\r\nContent-Length: 0\r\n\r\n")
    /// The status is below 100.
    public static let lowStatus = text("a status below 100", "HTTP/1.1 099 Low\r\nContent-Length: 0\r\n\r\n")
    /// A header line has no colon.
    public static let fieldWithoutColon =
        text("a field without a colon", ok + "NoColonHere\r\nContent-Length: 4\r\n\r\ngood")
    /// The name of a field contains a space.
    public static let spaceInName = text("a space in a name", ok + "Bad Name: 1\r\nContent-Length: 4\r\n\r\ngood")
    /// The value of a field contains a null byte.
    public static let nullInValue = text("a null byte in a value", ok + "A: b\0c\r\nContent-Length: 4\r\n\r\ngood")

    /// The name of a content coding is a long run of combining marks, which takes Swift seconds to compare.
    public static let marksInField = text(
        "combining marks in a field",
        ok + "Content-Encoding: x" + String(repeating: "\u{315}\u{300}\u{5AE}\u{59A}", count: 14_000)
            + "\r\nContent-Length: 4\r\n\r\ngood"
    )

    // MARK: - Quantity

    /// Many interim responses precede the response.
    ///
    /// - Parameter count: Their number.
    /// - Returns: The fault.
    public static func interimFlood(count: Int = 1_000) -> Self {
        let interim = String(repeating: "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", count: count)
        return text("a flood of interim responses", interim + whole)
    }

    /// A header field is huge.
    ///
    /// - Parameter bytes: Its length.
    /// - Returns: The fault.
    public static func hugeField(bytes: Int = 4 << 20) -> Self {
        text("a huge field", ok + "A: " + String(repeating: "a", count: bytes) + "\r\nContent-Length: 4\r\n\r\ngood")
    }

    /// The response has many header fields.
    ///
    /// - Parameter count: Their number.
    /// - Returns: The fault.
    public static func manyFields(count: Int = 100_000) -> Self {
        text("many fields", ok + String(repeating: "A: b\r\n", count: count) + "Content-Length: 4\r\n\r\ngood")
    }

    /// A small gzip body that decodes to a very large one.
    ///
    /// - Parameter bytes: The number of decoded bytes, all of them zero.
    /// - Returns: The fault.
    /// - Throws: An error of the compressor.
    public static func gzipBomb(bytes: Int = 64 << 20) throws -> Self {
        let body = try LoopbackContentEncoding.gzip.encode([UInt8](repeating: 0, count: bytes))
        let head = ok + "Content-Encoding: gzip\r\nContent-Length: \(body.count)\r\n\r\n"
        return Self("a gzip bomb", [.send(Array(head.utf8) + body)])
    }

    /// A body that is not gzip although it claims to be.
    public static let damagedGzip =
        text("a damaged gzip body", ok + "Content-Encoding: gzip\r\nContent-Length: 4\r\n\r\ngood")

    /// A second response follows the response.
    public static let surplusResponse =
        text("a surplus response", whole + "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil")
    /// Bytes that are not HTTP follow the response.
    public static let surplusBytes = text("surplus bytes", whole + "evil evil evil")

    // MARK: - Uploads

    /// The server refuses the request before it has read its body, and closes the connection.
    public static let earlyResponse = Self(
        "an early response",
        at: .body(bytes: 1),
        [.send("HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"), .close]
    )
    /// The connection is reset within the body of the request.
    public static let resetUpload = Self("a reset upload", at: .body(bytes: 1), [.reset])

    /// The faults that every client should survive: it fails within its limits, or ignores what is wrong, and the next
    /// request gets its own response.
    public static let all: [Self] =
        [
            stallBeforeHead, stallInHead, stallInBody, stallInChunk, closedAtOnce, resetAtOnce, closedUnderRequest,
            cutBeforeHead, cutInHead, cutInBody, resetInBody, cutInChunk, cutBeforeLastChunk, cutAfterInterim,
            shortLength, negativeLength, wordAsLength, endlessLength, twoLengths, bothFramings, unknownCoding,
            chunkedFirst, wordAsChunkSize, endlessChunk, longChunk, unexpectedUpgrade, garbageLine, wordAsStatus,
            lowStatus, fieldWithoutColon, spaceInName, nullInValue, marksInField, interimFlood(), hugeField(),
            manyFields(), damagedGzip, surplusResponse, surplusBytes, byteByByte(every: .milliseconds(1)),
        ] + uploads + [try? gzipBomb()].compactMap(\.self)

    /// The faults of ``all`` that need a request with a large body.
    public static let uploads: [Self] = [stallInRequest, earlyResponse, resetUpload]
}
