// SPDX-License-Identifier: MIT

import ConcurrencyTesting
import HTTPTypes
import NIOCore
import NIOHPACK
import NIOPosix
import NIOSSL
import RestEssentials
import Synchronization

@testable import HTTPWire

/// A server of HTTP/2, with TLS or without, that sends the frames that a test wants, right or wrong.
final class FrameServer: Sendable {
    /// A request whose head and body have come.
    struct Request: Sendable {
        /// The number of the request among all of the server, from 1 on.
        let number: Int
        /// The number of its connection, from 1 on.
        let connection: Int
        let stream: Int
        let fields: [(name: String, value: String)]
        let body: Data

        subscript(name: String) -> String? { fields.first { $0.name == name }?.value }
    }

    /// A thing to do; of frames without a stream, that of the request is meant.
    enum Step: Sendable {
        case head([(String, String)], ends: Bool = false)
        case data(String, ends: Bool = false)
        case reset(HTTP2Reason)
        case goAway(last: Int)
        case settings([(HTTP2Setting, Int)])
        case windowUpdate(Int, onConnection: Bool = false)
        /// Bytes as they are.
        case raw(ByteBuffer)
        case close
        /// Waits until a gate opens; what follows is then done.
        case wait(Gate)

        /// A response of two bytes.
        static func fine(_ text: String = "ok") -> [Step] {
            [.head([(":status", "200")]), .data(text, ends: true)]
        }
    }

    /// A thing that a server does of itself.
    enum Habit: Sendable {
        case repliesToPings, closesOnPing, returnsRoom
    }

    /// When a request counts as come.
    enum Trigger: Sendable {
        case head, end
    }

    struct State {
        var connectionCount = 0
        var requests: [Request] = []
        var resets: [HTTP2Reason] = []
        var goAways: [HTTP2Reason] = []
        var pings = 0
        var watchers:
            [(condition: @Sendable (FrameServer.Counts) -> Bool, continuation: CheckedContinuation<Void, Never>)] = []
    }

    struct Counts: Sendable {
        let requests: Int
        let resets: Int
        let goAways: Int
        let pings: Int
    }

    private let state = Mutex(State())
    private let settings: [(HTTP2Setting, Int)]
    private let trigger: Trigger
    private let habits: Set<Habit>
    let respond: @Sendable (Request) -> [Step]
    private let channel = Mutex<(any Channel)?>(nil)

    private init(
        _ settings: [(HTTP2Setting, Int)],
        _ trigger: Trigger,
        _ habits: Set<Habit>,
        _ respond: @escaping @Sendable (Request) -> [Step]
    ) {
        self.settings = settings
        self.trigger = trigger
        self.habits = habits
        self.respond = respond
    }

    /// Runs a server that does what a closure returns for each request.
    ///
    /// With TLS, it speaks the first of the protocols that the client offers, or HTTP/1.1 if there is none.
    static func with<Result>(
        settings: [(HTTP2Setting, Int)] = [],
        tls protocols: [String]? = nil,
        on trigger: Trigger = .end,
        habits: Set<Habit> = [],
        _ respond: @escaping @Sendable (Request) -> [Step],
        _ body: (FrameServer) async throws -> Result
    ) async throws -> Result {
        let server = FrameServer(settings, trigger, habits, respond)
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    guard let protocols else {
                        return try channel.pipeline.syncOperations.addHandler(Handler(server))
                    }
                    try channel.pipeline.syncOperations.addHandlers([
                        NIOSSLServerHandler(context: try TLSPair.context(protocols)), Chooser(server),
                    ])
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        server.channel.withLock { $0 = channel }
        do {
            let result = try await body(server)
            try await channel.close()
            return result
        } catch {
            try? await channel.close()
            throw error
        }
    }

    var port: Int { channel.withLock { $0?.localAddress?.port } ?? 0 }
    var connectionCount: Int { state.withLock { $0.connectionCount } }
    var requests: [Request] { state.withLock { $0.requests } }
    var resets: [HTTP2Reason] { state.withLock { $0.resets } }
    var pingCount: Int { state.withLock { $0.pings } }
    var goAways: [HTTP2Reason] { state.withLock { $0.goAways } }

    /// Waits until a condition holds.
    func wait(until condition: @escaping @Sendable (Counts) -> Bool) async {
        await withCheckedContinuation { continuation in
            change { $0.watchers.append((condition, continuation)) }
        }
    }

    func change(_ change: (inout State) -> Void) {
        let due = state.withLock { state in
            change(&state)
            let counts = Counts(
                requests: state.requests.count,
                resets: state.resets.count,
                goAways: state.goAways.count,
                pings: state.pings
            )
            let due = state.watchers.filter { $0.condition(counts) }.map(\.continuation)
            state.watchers.removeAll { $0.condition(counts) }
            return due
        }
        for continuation in due {
            continuation.resume()
        }
    }

    final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let server: FrameServer
        private let number: Int
        private var preface = ByteBuffer.http2Preface.readableBytes
        private var reader = HTTP2FrameReader()
        private var encoder = HPACKEncoder(allocator: ByteBufferAllocator())
        private var decoder = HPACKDecoder(allocator: ByteBufferAllocator())
        private var block = ByteBuffer()
        private var blockEnds = false
        private var heads: [Int: [(name: String, value: String)]] = [:]
        private var bodies: [Int: Data] = [:]

        init(_ server: FrameServer) {
            self.server = server
            decoder.maxHeaderListSize = 1 << 20
            var number = 0
            server.change {
                $0.connectionCount += 1
                number = $0.connectionCount
            }
            self.number = number
        }

        func handlerAdded(context: ChannelHandlerContext) {
            if context.channel.isActive {
                begin(context)
            }
        }

        func channelActive(context: ChannelHandlerContext) {
            begin(context)
            context.fireChannelActive()
        }

        private func begin(_ context: ChannelHandlerContext) {
            var bytes = ByteBuffer()
            bytes.writeSettings(server.settings)
            context.writeAndFlush(wrapOutboundOut(bytes), promise: nil)
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            var bytes = unwrapInboundIn(data)
            let skipped = min(preface, bytes.readableBytes)
            bytes.moveReaderIndex(forwardBy: skipped)
            preface -= skipped
            reader.append(bytes)
            while let frame = try? reader.next() {
                take(frame, context)
            }
        }

        private func take(_ frame: HTTP2Frame, _ context: ChannelHandlerContext) {
            switch frame {
            case .headers(let stream, let bytes, let endsBlock, let endsStream):
                block = bytes
                blockEnds = endsStream
                if endsBlock {
                    takeHead(stream, context)
                }
            case .continuation(let stream, let bytes, let endsBlock):
                block.writeImmutableBuffer(bytes)
                if endsBlock {
                    takeHead(stream, context)
                }
            case .data(let stream, let bytes, let size, let endsStream):
                if size > 0, server.habits.contains(.returnsRoom) {
                    var room = ByteBuffer()
                    room.writeWindowUpdate(stream: stream, increment: size)
                    room.writeWindowUpdate(stream: 0, increment: size)
                    context.writeAndFlush(wrapOutboundOut(room), promise: nil)
                }
                bodies[stream, default: Data()].append(contentsOf: bytes.readableBytesView)
                if endsStream, server.trigger == .end {
                    finish(stream, context)
                }
            case .reset(_, let code):
                server.change { $0.resets.append(code) }
            case .goAway(_, let code):
                server.change { $0.goAways.append(code) }
            case .ping(let data, _):
                server.change { $0.pings += 1 }
                if server.habits.contains(.closesOnPing) {
                    context.close(promise: nil)
                } else if server.habits.contains(.repliesToPings) {
                    var reply = ByteBuffer()
                    reply.writePing(data, isReply: true)
                    context.writeAndFlush(wrapOutboundOut(reply), promise: nil)
                }
            case .settings, .settingsAcknowledged, .windowUpdate, .ignored:
                break
            }
        }

        private func takeHead(_ stream: Int, _ context: ChannelHandlerContext) {
            heads[stream] = (try? decoder.decodeHeaders(from: &block))?.map { ($0.name, $0.value) } ?? []
            if blockEnds || server.trigger == .head {
                finish(stream, context)
            }
        }

        private func finish(_ stream: Int, _ context: ChannelHandlerContext) {
            var request: Request?
            server.change { state in
                let come = Request(
                    number: state.requests.count + 1,
                    connection: number,
                    stream: stream,
                    fields: heads[stream] ?? [],
                    body: bodies[stream] ?? Data()
                )
                state.requests.append(come)
                request = come
            }
            if let request {
                perform(server.respond(request)[...], stream, context)
            }
        }

        private func perform(_ steps: ArraySlice<Step>, _ stream: Int, _ context: ChannelHandlerContext) {
            var bytes = ByteBuffer()
            var rest = steps
            while let step = rest.popFirst() {
                switch step {
                case .close:
                    context.writeAndFlush(wrapOutboundOut(bytes), promise: nil)
                    return context.close(promise: nil)
                case .wait(let gate):
                    let following = rest
                    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
                    context.eventLoop.makeFutureWithTask { try? await gate.wait() }
                        .whenComplete { _ in
                            let (handler, context) = bound.value
                            handler.perform(following, stream, context)
                        }
                    rest = []
                default:
                    step.write(to: &bytes, stream: stream, &encoder)
                }
            }
            if bytes.readableBytes > 0 {
                context.writeAndFlush(wrapOutboundOut(bytes), promise: nil)
            }
        }
    }
}

extension FrameServer.Step {
    /// Writes the frames of a step.
    func write(to bytes: inout ByteBuffer, stream: Int, _ encoder: inout HPACKEncoder) {
        switch self {
        case .head(let fields, let ends):
            var block = ByteBuffer()
            try? encoder.encode(headers: HPACKHeaders(fields), to: &block)
            bytes.writeFields(block, stream: stream, frameSize: 16_384, endsStream: ends)
        case .data(let text, let ends):
            bytes.writeFrameHead(.data, ends ? .endsStream : [], stream: stream, size: text.utf8.count)
            bytes.writeString(text)
        case .reset(let code):
            bytes.writeReset(stream: stream, code)
        case .goAway(let last):
            bytes.writeGoAway(lastStream: last, .none)
        case .settings(let settings):
            bytes.writeSettings(settings)
        case .windowUpdate(let increment, let onConnection):
            bytes.writeWindowUpdate(stream: onConnection ? 0 : stream, increment: increment)
        case .raw(let raw):
            bytes.writeImmutableBuffer(raw)
        case .close, .wait:
            break
        }
    }
}
