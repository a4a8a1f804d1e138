// SPDX-License-Identifier: MIT

import HTTPTypes
import NIOCore
import NIOHPACK
import RestEssentials

/// The client's side of one connection of HTTP/2 (RFC 9113): no lock, clock or I/O.
///
/// It takes the bytes that come, and says what they mean for which stream. What is to be sent gathers in ``takeOutput()``,
/// so that all that one turn of an event loop writes goes out at once.
struct HTTP2StateMachine {
    /// What came means this.
    enum Event {
        case interim(stream: Int, HeadBytes)
        case head(stream: Int, HTTP2Fields)
        case body(stream: Int, ByteBuffer)
        /// The response is complete. The stream is still open if the request is.
        case end(stream: Int)
        /// The stream has ended without a whole response.
        case fault(stream: Int, WireFault)
        /// There is room for more of the requests' bodies.
        case room
        /// The server allows another number of streams at once.
        case streamLimit
        /// The server takes no further streams.
        case goAway
    }

    /// The number of bytes that a server may send on a stream, and on all of them, before the client has taken them.
    static let windows = (stream: 1 << 20, connection: 16 << 20)
    /// The number of streams at once, until the server says otherwise.
    static let firstStreamLimit = 100
    /// The window of a stream and of a connection, and the size of a frame, until the settings say otherwise.
    private static let defaults = (window: 65_535, frameSize: 16_384)
    private static let largestWindow = 1 << 31 - 1
    private static let largestStream = 1 << 31 - 1
    /// The frames without a part of a response that may come in a row within a second.
    private static let frameBudget = 1_000
    /// The frames of one block of fields.
    private static let blockFrames = 64

    struct Stream {
        let isHead: Bool
        var sendWindow: Int
        var receiveWindow = HTTP2StateMachine.windows.stream
        /// The bytes that were taken, for which the server has no room back yet.
        var unreturned = 0
        var isRequestOpen: Bool
        var isResponseOpen = true
        var hasHead = false
        var interimCount = 0
        /// The bytes of the body that must come; `nil` if their number is not known.
        var remaining: Int?
    }

    private struct Block {
        let stream: Int
        let endsStream: Bool
        var bytes: ByteBuffer
        var frames = 1
    }

    private let isSecure: Bool
    private let limits: ResponseParser.Limits
    private var reader = HTTP2FrameReader()
    private var encoder: HPACKEncoder
    private var decoder: HPACKDecoder
    private var output: ByteBuffer
    private var streams: [Int: Stream] = [:]
    private var nextStream = 1
    private var block: Block?
    private var hasSettings = false
    private var sendWindow = HTTP2StateMachine.defaults.window
    private var receiveWindow = HTTP2StateMachine.windows.connection
    private var unreturned = 0
    private var initialSendWindow = HTTP2StateMachine.defaults.window
    private var frameSize = HTTP2StateMachine.defaults.frameSize
    private var idleFrames = (count: 0, since: NIODeadline.uptimeNanoseconds(0))

    /// The maximum number of streams that the server allows at once.
    private(set) var streamLimit = HTTP2StateMachine.firstStreamLimit
    /// True once no further stream may begin.
    private(set) var isGoingAway = false
    /// True while a PING has no reply.
    private(set) var awaitsPing = false

    /// Creates the state of a connection, whose first bytes are those of the preface.
    init(isSecure: Bool, limits: ResponseParser.Limits) {
        self.isSecure = isSecure
        self.limits = limits
        let allocator = ByteBufferAllocator()
        encoder = HPACKEncoder(allocator: allocator)
        decoder = HPACKDecoder(allocator: allocator)
        decoder.maxHeaderListSize = limits.headBytes + 32 * limits.fieldCount
        output = ByteBuffer.http2Preface
        output.writeSettings([(.enablePush, 0), (.initialWindowSize, Self.windows.stream)])
        output.writeWindowUpdate(stream: 0, increment: Self.windows.connection - Self.defaults.window)
    }

    /// The number of streams that are open.
    var streamCount: Int { streams.count }

    /// True if another stream may begin.
    var canStart: Bool { !isGoingAway && streams.count < streamLimit && nextStream <= Self.largestStream }

    /// Takes what is to be sent; `nil` if there is nothing.
    mutating func takeOutput() -> ByteBuffer? {
        guard output.readableBytes > 0 else {
            return nil
        }
        defer { output = ByteBuffer() }
        return output
    }

    // MARK: - Sending

    /// Begins a stream with the head of a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - hasBody: True if a body follows.
    /// - Returns: The stream.
    /// - Throws: ``WireFault/invalidRequest(_:)`` if the fields cannot be compressed.
    mutating func start(_ request: WireRequest, hasBody: Bool) throws(WireFault) -> Int {
        let block: ByteBuffer
        do {
            block = try compress(request.parts)
        } catch {
            throw .invalidRequest("its fields cannot be compressed: \(error)")
        }
        let stream = nextStream
        nextStream += 2
        streams[stream] = Stream(isHead: request.isHead, sendWindow: initialSendWindow, isRequestOpen: hasBody)
        output.writeFields(block, stream: stream, frameSize: frameSize, endsStream: !hasBody)
        idleFrames.count = 0
        if nextStream > Self.largestStream {
            isGoingAway = true
        }
        return stream
    }

    private mutating func compress(_ request: WireRequest.Parts) throws -> ByteBuffer {
        try encoder.beginEncoding(allocator: ByteBufferAllocator())
        try encoder.append(header: ":method", value: request.method)
        try encoder.append(header: ":scheme", value: isSecure ? "https" : "http")
        try encoder.append(header: ":authority", value: request.authority)
        // Paths differ from request to request, and would only push out what repeats.
        try encoder.appendNonIndexed(header: ":path", value: request.target)
        for field in request.fields {
            let name = field.name.canonicalName
            switch name {
            case "host", "content-length", "connection", "keep-alive", "proxy-connection", "transfer-encoding",
                "upgrade":
                continue
            case "te" where field.value.lowercased() != "trailers":
                continue
            case "authorization", "proxy-authorization":
                // Never kept in a table that others' requests are compressed with (RFC 7541, section 7.1.3).
                try encoder.appendNeverIndexed(header: name, value: field.value)
            default:
                try encoder.append(header: name, value: field.value)
            }
        }
        if let acceptEncoding = request.acceptEncoding {
            try encoder.append(header: "accept-encoding", value: acceptEncoding)
        }
        if let length = request.contentLength {
            try encoder.appendNonIndexed(header: "content-length", value: String(length))
        }
        return try encoder.endEncoding()
    }

    /// Returns how many bytes of a body may be sent now, in one frame.
    func room(of stream: Int) -> Int {
        guard let state = streams[stream], state.isRequestOpen else {
            return 0
        }
        return max(0, min(state.sendWindow, sendWindow, frameSize))
    }

    /// Sends bytes of a body, at most as many as there is room for.
    mutating func send(_ bytes: ByteBuffer, on stream: Int, isLast: Bool) {
        guard var state = streams[stream], state.isRequestOpen else {
            return
        }
        let size = bytes.readableBytes
        state.sendWindow -= size
        sendWindow -= size
        state.isRequestOpen = !isLast
        streams[stream] = state.isRequestOpen || state.isResponseOpen ? state : nil
        output.writeFrameHead(.data, isLast ? .endsStream : [], stream: stream, size: size)
        output.writeImmutableBuffer(bytes)
        idleFrames.count = 0
    }

    /// Gives the server room for bytes of a body that were taken.
    mutating func returnRoom(_ count: Int, on stream: Int) {
        guard var state = streams[stream], state.isResponseOpen else {
            return
        }
        state.unreturned += count
        if state.unreturned >= Self.windows.stream / 2 {
            output.writeWindowUpdate(stream: stream, increment: state.unreturned)
            state.receiveWindow += state.unreturned
            state.unreturned = 0
        }
        streams[stream] = state
    }

    /// Ends a stream; what still comes on it is dropped.
    mutating func reset(_ stream: Int, _ code: HTTP2Reason) {
        if streams.removeValue(forKey: stream) != nil {
            output.writeReset(stream: stream, code)
        }
    }

    /// Asks the server for a sign of life.
    mutating func ping() {
        awaitsPing = true
        output.writePing(0, isReply: false)
    }

    /// Says why the connection is closed.
    mutating func goAway(_ code: HTTP2Reason) {
        isGoingAway = true
        output.writeGoAway(lastStream: 0, code)
    }

    // MARK: - Receiving

    /// Takes bytes.
    ///
    /// - Parameters:
    ///   - bytes: The bytes that came.
    ///   - now: The present.
    ///   - events: Gets what they mean, also if an error is thrown behind it.
    /// - Throws: The rule that they break; the connection cannot be used any longer.
    mutating func receive(
        _ bytes: ByteBuffer,
        at now: NIODeadline,
        into events: inout [Event]
    ) throws(HTTP2Defect) {
        reader.append(bytes)
        while let frame = try reader.next() {
            try receive(frame, at: now, &events)
        }
    }

    private mutating func receive(
        _ frame: HTTP2Frame,
        at now: NIODeadline,
        _ events: inout [Event]
    ) throws(HTTP2Defect) {
        guard hasSettings || frame.isSettings else {
            throw .missingSettings
        }
        guard block == nil || frame.isContinuation else {
            throw .interruptedBlock
        }
        switch frame {
        case .headers(let stream, let bytes, let endsBlock, let endsStream):
            try receive(Block(stream: stream, endsStream: endsStream, bytes: bytes), isWhole: endsBlock, now, &events)
        case .continuation(let stream, let bytes, let endsBlock):
            guard var block, block.stream == stream else {
                throw .interruptedBlock
            }
            block.bytes.writeImmutableBuffer(bytes)
            block.frames += 1
            try receive(block, isWhole: endsBlock, now, &events)
        case .data(let stream, let bytes, let size, let endsStream):
            try receive(bytes, size: size, on: stream, endsStream, now, &events)
        case .reset(let stream, let code):
            try countIdle(now)
            try checkKnown(stream)
            if streams.removeValue(forKey: stream) != nil {
                events.append(.fault(stream: stream, code == .refusedStream ? .unprocessed : .reset(code)))
            }
        case .settings(let settings):
            try countIdle(now)
            hasSettings = true
            try apply(settings, &events)
            output.writeFrameHead(.settings, .acknowledges, size: 0)
        case .ping(let data, let isReply):
            try countIdle(now)
            if isReply {
                awaitsPing = false
            } else {
                output.writePing(data, isReply: true)
            }
        case .goAway(let last, _):
            try countIdle(now)
            isGoingAway = true
            events.append(.goAway)
            for stream in streams.keys.filter({ $0 > last }).sorted() {
                streams[stream] = nil
                events.append(.fault(stream: stream, .unprocessed))
            }
        case .windowUpdate(let stream, let increment):
            try countIdle(now)
            try widen(stream, by: increment, &events)
        case .settingsAcknowledged, .ignored:
            try countIdle(now)
        }
    }

    /// Counts a frame that carries no part of a response.
    private mutating func countIdle(_ now: NIODeadline) throws(HTTP2Defect) {
        if now - idleFrames.since > .seconds(1) {
            idleFrames = (0, now)
        }
        idleFrames.count += 1
        guard idleFrames.count <= Self.frameBudget else {
            throw .flood
        }
    }

    /// Refuses a stream that the client has not begun.
    private func checkKnown(_ stream: Int) throws(HTTP2Defect) {
        guard stream < nextStream, !stream.isMultiple(of: 2) else {
            throw .streamIdentifier
        }
    }

    private mutating func fail(_ stream: Int, _ fault: WireFault, _ events: inout [Event]) {
        reset(stream, .protocolError)
        events.append(.fault(stream: stream, fault))
    }

    // MARK: - Fields

    private mutating func receive(
        _ part: Block,
        isWhole: Bool,
        _ now: NIODeadline,
        _ events: inout [Event]
    ) throws(HTTP2Defect) {
        try checkKnown(part.stream)
        guard part.bytes.readableBytes <= limits.headBytes, part.frames <= Self.blockFrames else {
            throw .blockTooLarge
        }
        block = isWhole ? nil : part
        guard isWhole else {
            return
        }
        var bytes = part.bytes
        let fields: HPACKHeaders
        do {
            // Also for a stream that nobody waits for any more: the table must stay the same on both sides.
            fields = try decoder.decodeHeaders(from: &bytes)
        } catch is NIOHPACKErrors.MaxHeaderListSizeViolation {
            throw .blockTooLarge
        } catch {
            throw .compression
        }
        guard var state = streams[part.stream], state.isResponseOpen else {
            return try countIdle(now)
        }
        let read: HTTP2Fields
        do throws(ResponseDefect) {
            read = try HTTP2Fields(fields, isTrailer: state.hasHead, limits)
            try check(read, &state, endsStream: part.endsStream)
        } catch {
            return fail(part.stream, .malformed(error), &events)
        }
        streams[part.stream] = state
        if let head = read.head {
            if head.status < 200 {
                try countIdle(now)
                events.append(.interim(stream: part.stream, head))
                return
            }
            events.append(.head(stream: part.stream, read))
        }
        idleFrames.count = 0
        if part.endsStream {
            finish(part.stream, &events)
        }
    }

    /// Checks fields against what came before them on their stream.
    private func check(_ fields: HTTP2Fields, _ state: inout Stream, endsStream: Bool) throws(ResponseDefect) {
        guard let head = fields.head else {
            guard endsStream else {
                throw .order
            }
            return
        }
        if head.status < 200 {
            guard !endsStream else {
                throw .order
            }
            state.interimCount += 1
            guard state.interimCount <= limits.interimCount else {
                throw .tooManyInterimResponses
            }
            return
        }
        state.hasHead = true
        let hasNoBody = state.isHead || head.status == 204 || head.status == 304
        state.remaining = hasNoBody ? 0 : fields.contentLength
    }

    private mutating func finish(_ stream: Int, _ events: inout [Event]) {
        guard var state = streams[stream] else {
            return
        }
        guard state.remaining ?? 0 == 0 else {
            return fail(stream, .malformed(.bodyLength), &events)
        }
        state.isResponseOpen = false
        streams[stream] = state.isRequestOpen ? state : nil
        events.append(.end(stream: stream))
    }

    // MARK: - Bodies

    private mutating func receive(
        _ bytes: ByteBuffer,
        size: Int,
        on stream: Int,
        _ endsStream: Bool,
        _ now: NIODeadline,
        _ events: inout [Event]
    ) throws(HTTP2Defect) {
        try checkKnown(stream)
        receiveWindow -= size
        guard receiveWindow >= 0 else {
            throw .flowControl
        }
        // The windows of the streams bound what is kept, so that this one need not.
        unreturned += size
        if unreturned >= Self.windows.connection / 2 {
            output.writeWindowUpdate(stream: 0, increment: unreturned)
            receiveWindow += unreturned
            unreturned = 0
        }
        if bytes.readableBytes > 0 {
            idleFrames.count = 0
        } else if !endsStream {
            try countIdle(now)
        }
        guard var state = streams[stream], state.isResponseOpen else {
            return
        }
        state.receiveWindow -= size
        guard state.receiveWindow >= 0 else {
            throw .flowControl
        }
        guard state.hasHead else {
            return fail(stream, .malformed(.order), &events)
        }
        if let remaining = state.remaining {
            guard bytes.readableBytes <= remaining else {
                return fail(stream, .malformed(.bodyLength), &events)
            }
            state.remaining = remaining - bytes.readableBytes
        }
        streams[stream] = state
        returnRoom(size - bytes.readableBytes, on: stream)
        if bytes.readableBytes > 0 {
            events.append(.body(stream: stream, bytes))
        }
        if endsStream {
            finish(stream, &events)
        }
    }

    // MARK: - Windows and settings

    private mutating func widen(_ stream: Int, by increment: Int, _ events: inout [Event]) throws(HTTP2Defect) {
        if stream == 0 {
            sendWindow += increment
            guard increment > 0, sendWindow <= Self.largestWindow else {
                throw .flowControl
            }
            return events.append(.room)
        }
        try checkKnown(stream)
        guard var state = streams[stream] else {
            return
        }
        state.sendWindow += increment
        guard increment > 0, state.sendWindow <= Self.largestWindow else {
            reset(stream, increment > 0 ? .flowControl : .protocolError)
            return events.append(.fault(stream: stream, .brokenConnection(.flowControl)))
        }
        streams[stream] = state
        events.append(.room)
    }

    private mutating func apply(
        _ settings: [(setting: HTTP2Setting, value: Int)],
        _ events: inout [Event]
    ) throws(HTTP2Defect) {
        for (setting, value) in settings {
            switch setting {
            case .maximumConcurrentStreams:
                streamLimit = value
                events.append(.streamLimit)
            case .initialWindowSize:
                guard value <= Self.largestWindow else {
                    throw .flowControl
                }
                let change = value - initialSendWindow
                initialSendWindow = value
                for stream in streams.keys {
                    streams[stream]?.sendWindow += change
                }
                guard streams.values.allSatisfy({ $0.sendWindow <= Self.largestWindow }) else {
                    throw .flowControl
                }
                events.append(.room)
            case .maximumFrameSize:
                guard (Self.defaults.frameSize..<1 << 24).contains(value) else {
                    throw .settingValue
                }
                // Long frames of one stream would make the others wait.
                frameSize = min(value, 64 << 10)
            case .enablePush:
                guard value == 0 else {
                    throw .settingValue
                }
            case .headerTableSize:
                do {
                    try encoder.setDynamicTableSize(min(value, HPACKEncoder.defaultDynamicTableSize))
                } catch {
                    throw .settingValue
                }
            default:
                break
            }
        }
    }
}

extension HTTP2Frame {
    fileprivate var isSettings: Bool {
        if case .settings = self { true } else { false }
    }

    fileprivate var isContinuation: Bool {
        if case .continuation = self { true } else { false }
    }
}
