// SPDX-License-Identifier: MIT

extension FaultServer.Fault {
    /// Creates a fault of HTTP/2 from its frames and what follows them.
    private static func http2(
        _ name: String,
        at moment: FaultServer.Moment = .request,
        _ frames: [FaultServer.Frame],
        _ end: FaultServer.Step...
    ) -> Self {
        Self("HTTP/2: " + name, at: moment, frames.map { .frame($0) } + end)
    }

    private static let whole: [FaultServer.Frame] = [.headers(length: 4), .data("good", ends: true)]
    /// A field with a name of one letter and a value of 16,127 bytes.
    private static let longField: [UInt8] = [0, 1, 0x61, 127, 0x80, 0x7D] + Array(repeating: 0x62, count: 16_127)
    private static let half: [FaultServer.Frame] = [.headers(length: 100), .data("half")]

    // MARK: - Ends of connections and streams

    /// GOAWAY says that the request was not processed.
    public static let goAwayBeforeResponse = http2("going away before a response", [.goAway(lastStream: 0, 0)], .stall)
    /// GOAWAY says that no request will follow, and the response comes all the same.
    public static let goAwayThenResponse =
        http2("going away with a response", [.goAway(lastStream: 0x7FFF_FFFF, 0)] + whole)
    /// GOAWAY within a body, with an error, and the end of the connection.
    public static let goAwayInBody = http2("going away in the body", half + [.goAway(lastStream: 0, 2)], .close)
    /// The stream is reset before its response.
    public static let streamReset = http2("a stream reset", [.reset(2)])
    /// The stream is reset within the body.
    public static let streamResetInBody = http2("a stream reset in the body", half + [.reset(8)])
    /// The stream is refused, so that the request was not processed.
    public static let streamRefused = http2("a stream refused", [.reset(7)])
    /// The stream is reset because the server wants HTTP/1.1.
    public static let streamWantsHTTP1 = http2("a stream that wants HTTP/1.1", [.reset(13)])
    /// The connection ends because the server wants HTTP/1.1.
    public static let connectionWantsHTTP1 =
        http2("a connection that wants HTTP/1.1", [.goAway(lastStream: 0, 13)], .close)
    /// The stream of an upload is reset within the body of the request.
    public static let streamResetInUpload = http2("a stream reset in the upload", at: .body(bytes: 1), [.reset(2)])
    /// The connection is closed within the body.
    public static let connectionClosedInData = http2("closed in the body", half, .close)
    /// The connection is reset within the body.
    public static let connectionResetInData = http2("reset in the body", half, .reset)

    // MARK: - Stalls

    /// The server sends nothing on the stream.
    public static let streamStall = http2("a stall before the header", [], .stall)
    /// The server stops within the body.
    public static let streamStallInBody = http2("a stall in the body", half, .stall)
    /// The server never enlarges the window of an upload.
    public static let windowStall = http2("a window that stays closed", at: .body(bytes: 1), [], .stall)
    /// The server takes away the window of an upload.
    public static let windowTakenAway = http2("a window taken away", at: .head, [.setting(4, 0)], .stall)

    // MARK: - Settings

    /// The number of streams is lowered to one.
    public static let fewerStreams = http2("fewer streams", [.setting(3, 1)] + whole)
    /// The window of new streams is lowered to one byte.
    public static let smallerWindow = http2("a smaller window", [.setting(4, 1)] + whole)
    /// The window of new streams exceeds the largest one.
    public static let endlessWindow = http2("a window beyond all numbers", [.setting(4, 1 << 31)], .stall)
    /// A setting has a value that does not exist.
    public static let invalidSetting = http2("an invalid setting", [.setting(2, 2)], .stall)
    /// The window of the stream is enlarged by nothing.
    public static let emptyWindowUpdate = http2("an empty window update", [.window(0)] + whole)
    /// The window of the connection grows beyond the largest one.
    public static let windowOverflow =
        http2("a window that overflows", [.window(0x7FFF_FFFF, isOfStream: false)], .stall)

    // MARK: - Frames

    /// Bytes that are not frames.
    public static let garbageFrames = http2(
        "garbage",
        [],
        .send("this is not a frame, and never becomes one\r\n"),
        .stall
    )
    /// A frame is longer than the client allows.
    public static let oversizedFrame =
        http2("a frame that is too long", [.headers(), .data(String(repeating: "a", count: 20_000))], .stall)
    /// The body comes before the header.
    public static let dataBeforeHeaders = http2("a body before the header", [.data("good", ends: true)], .stall)
    /// The server pushes a response that nobody asked for.
    public static let pushedResponse =
        http2("a pushed response", [.init(type: 5, flags: 4, payload: [0, 0, 0, 2, 0x82, 0x84, 0x87])], .stall)
    /// The body is shorter than its announced length.
    public static let shortData = http2("a body that is too short", [.headers(length: 100), .data("half", ends: true)])
    /// The body is longer than its announced length.
    public static let longData = http2("a body that is too long", [.headers(length: 2), .data("good", ends: true)])

    // MARK: - Headers

    /// The header refers to an entry that no table has.
    public static let damagedHeaders = http2("a header that cannot be decoded", [.headers([0x80])], .stall)
    /// The header has no status.
    public static let headersWithoutStatus =
        http2("a header without a status", [.headers([0x0F, 13, 1, 0x34]), .data("good", ends: true)])
    /// The header has two statuses.
    public static let twoStatuses =
        http2("two statuses", [.headers([0x88, 0x88]), .data("good", ends: true)])
    /// The status is empty.
    public static let emptyStatus = http2("an empty status", [.headers([0x08, 0]), .data("good", ends: true)])
    /// The status behind an interim response is empty.
    public static let emptyStatusBehindInterim = http2(
        "an empty status behind an interim response",
        [.headers([0x08, 3, 0x31, 0x30, 0x33]), .headers([0x08, 0]), .data("good", ends: true)]
    )
    /// The trailer has a status, which is empty.
    public static let emptyStatusInTrailer =
        http2("an empty status in a trailer", [.headers(), .data("good"), .headers([0x08, 0], ends: true)])
    /// The status is a word.
    public static let wordAsHTTP2Status =
        http2("a word as the status of HTTP/2", [.headers([0x08, 3, 0x61, 0x62, 0x63]), .data("good", ends: true)])
    /// The name of a field has a capital letter.
    public static let capitalInName =
        http2("a capital in a name", [.headers([0x88, 0, 1, 0x41, 1, 0x62]), .data("good", ends: true)])
    /// The header never ends.
    public static let endlessHeaders = http2(
        "a header without end",
        [.headers(isWhole: false)] + Array(repeating: .init(type: 9, payload: longField), count: 64),
        .stall
    )
    /// Many interim responses precede the response.
    public static let interimHeaders = http2(
        "a flood of interim responses",
        Array(repeating: .headers([0x08, 3, 0x31, 0x30, 0x33]), count: 1_000) + whole
    )

    /// The faults of HTTP/2 that every client should survive: it fails within its limits, or ignores what is wrong, and
    /// the next request gets its own response.
    public static let allOfHTTP2: [Self] =
        [
            goAwayBeforeResponse, goAwayThenResponse, goAwayInBody, streamReset, streamResetInBody, streamRefused,
            connectionClosedInData, connectionResetInData, streamStall, streamStallInBody, fewerStreams, smallerWindow,
            endlessWindow, invalidSetting, emptyWindowUpdate, windowOverflow, garbageFrames, oversizedFrame,
            dataBeforeHeaders, pushedResponse, shortData, longData, damagedHeaders, headersWithoutStatus, twoStatuses,
            emptyStatus, emptyStatusBehindInterim, emptyStatusInTrailer, wordAsHTTP2Status, capitalInName,
            endlessHeaders, interimHeaders,
        ] + uploadsOfHTTP2

    /// The faults of ``allOfHTTP2`` that need a request with a large body.
    public static let uploadsOfHTTP2: [Self] = [streamResetInUpload, windowStall, windowTakenAway]
}
