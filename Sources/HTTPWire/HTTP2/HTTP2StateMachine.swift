// SPDX-License-Identifier: MIT

package import NIOCore
import NIOHPACK
import RestEssentials

/// The client's side of one connection of HTTP/2 (RFC 9113): no lock, clock or I/O.
///
/// It takes the bytes that come, and says what they mean for which stream. All that is to be sent gathers until
/// ``takeOutput(isWritable:)``, so that what one turn of an event loop writes goes out at once.
package struct HTTP2StateMachine {
    /// The meaning of frames that came.
    package enum Event {
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
        /// The server wants HTTP/1.1 in place of this connection.
        case http1Required
    }

    /// The number of bytes that a server may send on a stream, and on all of them, before the client has taken them.
    static let windows = (stream: 1 << 20, connection: 16 << 20)
    /// The number of streams at once, until the server says otherwise.
    static let firstStreamLimit = 100
    /// The window of a stream and of a connection, and the size of a frame, until the settings say otherwise.
    static let defaults = (window: 65_535, frameSize: 16_384)
    private static let largestWindow = 1 << 31 - 1
    static let largestStream = 1 << 31 - 1
    /// The frames without a part of a response that may come in a row within a second.
    private static let frameBudget = 1_000
    /// The replies to SETTINGS and PING that may wait for a connection that takes nothing.
    private static let replyBudget = 1_000
    /// The frames of one block of fields.
    static let blockFrames = 64

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
        /// True if the server is at work with the request, whatever it says later.
        var isProcessed: Bool { hasHead || interimCount > 0 }
        /// The bytes of the body that must come; `nil` if their number is not known.
        var remaining: Int?
    }

    struct Block {
        let stream: Int
        let endsStream: Bool
        var bytes: ByteBuffer
        var frames = 1
    }

    let isSecure: Bool
    let limits: ResponseParser.Limits
    private var reader = HTTP2FrameReader()
    var encoder: HPACKEncoder
    var decoder: HPACKDecoder
    var output: ByteBuffer
    var streams: [Int: Stream] = [:]
    var nextStream = 1
    var block: Block?
    private var hasSettings = false
    var sendWindow = HTTP2StateMachine.defaults.window
    var receiveWindow = HTTP2StateMachine.windows.connection
    /// The bytes that may still come on streams which this side has ended.
    var lateWindow = 0
    var unreturned = 0
    private(set) var initialSendWindow = HTTP2StateMachine.defaults.window
    private(set) var frameSize = HTTP2StateMachine.defaults.frameSize
    /// The size of a request's fields that the server takes, as RFC 9113 counts it (section 6.5.2).
    private(set) var headListLimit = Int.max
    private var idleFrames = (count: 0, since: NIODeadline.uptimeNanoseconds(0))
    private var replies = 0

    /// The maximum number of streams that the server allows at once.
    private(set) var streamLimit = HTTP2StateMachine.firstStreamLimit
    /// True once no further stream may begin.
    var isGoingAway = false
    /// True while a PING has no reply.
    var awaitsPing = false

    /// Creates the state of a connection, whose first bytes are those of the preface.
    package init(isSecure: Bool, limits: ResponseParser.Limits) {
        self.isSecure = isSecure
        self.limits = limits
        let allocator = ByteBufferAllocator()
        encoder = HPACKEncoder(allocator: allocator)
        decoder = HPACKDecoder(allocator: allocator)
        decoder.maxHeaderListSize = limits.headBytes + 32 * limits.fieldCount
        output = ByteBuffer.http2Preface
        output.writeSettings([
            (.enablePush, 0), (.initialWindowSize, Self.windows.stream),
            (.maximumHeaderListSize, decoder.maxHeaderListSize),
        ])
        output.writeWindowUpdate(stream: 0, increment: Self.windows.connection - Self.defaults.window)
    }

    /// The number of streams that are open.
    package var streamCount: Int { streams.count }

    /// True if another stream may begin.
    var canStart: Bool { !isGoingAway && streams.count < streamLimit && nextStream <= Self.largestStream }

    /// Takes what is to be sent.
    ///
    /// - Parameter isWritable: False if what was taken before still waits to be sent.
    /// - Returns: The bytes; `nil` if there are none.
    package mutating func takeOutput(isWritable: Bool = true) -> ByteBuffer? {
        if isWritable {
            replies = 0
        }
        guard output.readableBytes > 0 else {
            return nil
        }
        defer { output = ByteBuffer() }
        return output
    }

    // MARK: - Receiving

    /// Takes bytes.
    ///
    /// - Parameters:
    ///   - bytes: The bytes that came.
    ///   - now: The present.
    ///   - events: Gets what they mean, also if an error is thrown behind it.
    /// - Throws: The rule that they break; the connection cannot be used any longer.
    package mutating func receive(
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
            if code == .http1Required {
                isGoingAway = true
                events.append(.http1Required)
            }
            if let state = streams.removeValue(forKey: stream) {
                let isUnprocessed = [.refusedStream, .http1Required].contains(code) && !state.isProcessed
                events.append(.fault(stream: stream, isUnprocessed ? .unprocessed : .reset(code)))
            }
        case .settings(let settings):
            try countIdle(now)
            try countReply()
            try apply(settings, &events)
            hasSettings = true
            output.writeFrameHead(.settings, .acknowledges, size: 0)
        case .ping(let data, let isReply):
            try countIdle(now)
            if isReply {
                awaitsPing = false
            } else {
                try countReply()
                output.writePing(data, isReply: true)
            }
        case .goAway(let last, let code):
            try countIdle(now)
            isGoingAway = true
            events.append(code == .http1Required ? .http1Required : .goAway)
            for stream in streams.keys.filter({ $0 > last }).sorted() {
                let isProcessed = streams.removeValue(forKey: stream)?.isProcessed ?? false
                events.append(.fault(stream: stream, isProcessed ? .reset(code) : .unprocessed))
            }
        case .windowUpdate(let stream, let increment):
            try countIdle(now)
            try widen(stream, by: increment, &events)
        case .settingsAcknowledged, .ignored:
            try countIdle(now)
        }
    }

    /// Counts a frame that carries no part of a response.
    mutating func countIdle(_ now: NIODeadline, unless isUsed: Bool = false) throws(HTTP2Defect) {
        if isUsed || now - idleFrames.since > .seconds(1) {
            idleFrames = (0, now)
        }
        guard !isUsed else {
            return
        }
        idleFrames.count += 1
        guard idleFrames.count <= Self.frameBudget else {
            throw .flood
        }
    }

    /// Takes a sign that the connection is used for what it is for.
    mutating func noteUse() {
        idleFrames.count = 0
    }

    private mutating func countReply() throws(HTTP2Defect) {
        replies += 1
        guard replies <= Self.replyBudget else {
            throw .flood
        }
    }

    /// Refuses a stream that the client has not begun.
    func checkKnown(_ stream: Int) throws(HTTP2Defect) {
        guard stream < nextStream, !stream.isMultiple(of: 2) else {
            throw .streamIdentifier
        }
    }

    mutating func fail(_ stream: Int, _ fault: WireFault, _ events: inout [Event]) {
        reset(stream, .protocolError)
        events.append(.fault(stream: stream, fault))
    }

    // MARK: - Windows and settings

    private mutating func widen(_ stream: Int, by increment: Int, _ events: inout [Event]) throws(HTTP2Defect) {
        if stream == 0 {
            guard increment > 0 else {
                throw .windowIncrement
            }
            sendWindow += increment
            guard sendWindow <= Self.largestWindow else {
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
            let defect = increment > 0 ? HTTP2Defect.flowControl : .windowIncrement
            reset(stream, defect.code)
            return events.append(.fault(stream: stream, .brokenConnection(defect)))
        }
        streams[stream] = state
        events.append(.room)
    }

    private mutating func apply(
        _ settings: [(setting: HTTP2Setting, value: Int)],
        _ events: inout [Event]
    ) throws(HTTP2Defect) {
        // A frame may have thousands of settings: what costs time is done once.
        var (window, limit) = (initialSendWindow, streamLimit)
        for (setting, value) in settings {
            switch setting {
            case .maximumConcurrentStreams:
                limit = value
            case .initialWindowSize:
                guard value <= Self.largestWindow else {
                    throw .flowControl
                }
                window = value
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
            case .maximumHeaderListSize:
                headListLimit = value
            default:
                break
            }
        }
        if limit != streamLimit || !hasSettings {
            streamLimit = limit
            events.append(.streamLimit)
        }
        if window != initialSendWindow {
            try changeWindows(to: window)
            events.append(.room)
        }
    }

    private mutating func changeWindows(to window: Int) throws(HTTP2Defect) {
        for stream in streams.keys {
            streams[stream]?.sendWindow += window - initialSendWindow
        }
        initialSendWindow = window
        guard streams.values.allSatisfy({ $0.sendWindow <= Self.largestWindow }) else {
            throw .flowControl
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
