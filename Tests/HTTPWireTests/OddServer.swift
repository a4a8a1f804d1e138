// SPDX-License-Identifier: MIT

import ConcurrencyTesting
import NIOCore
import NIOPosix
import RestEssentials
import Synchronization

/// A server that sends the bytes that a test wants, right or wrong.
final class OddServer: Sendable {
    /// A thing to do once a request has come.
    enum Step: Sendable {
        case send(String)
        /// Send the bytes one at a time, each in a write of its own.
        case trickle(String)
        /// Send so many bytes, which ``finishedFills`` counts when all have left.
        case fill(Int)
        /// Read no more from the connection.
        case stopReading
        /// Read no more from the connection until a gate opens.
        case pauseReading(until: Gate)
        /// End the connection.
        case close
        /// End the connection with a reset.
        case reset
    }

    private struct State {
        var connectionCount = 0
        var openCount = 0
        var requests: [String] = []
        var receivedCount = 0
        var finishedFills = 0
        var watchers: [(condition: @Sendable (Int, Int) -> Bool, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())
    private let respond: @Sendable (_ number: Int) -> [Step]
    private let channel = Mutex<(any Channel)?>(nil)

    private init(_ respond: @escaping @Sendable (_ number: Int) -> [Step]) {
        self.respond = respond
    }

    /// Runs a server that performs the steps for its first request, for its second one and so on.
    ///
    /// - Parameters:
    ///   - path: The path of its Unix socket; `nil` for a port of 127.0.0.1.
    ///   - respond: Returns the steps for the request of a number.
    ///   - body: The operation.
    /// - Returns: The operation's result.
    /// - Throws: The operation's error, or an error if the server cannot be started.
    static func with<Result>(
        at path: String? = nil,
        _ respond: @escaping @Sendable (_ number: Int) -> [Step],
        _ body: (OddServer) async throws -> Result
    ) async throws -> Result {
        let server = OddServer(respond)
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Counter(server))
                }
            }
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Handler(server))
                }
            }
        let channel =
            if let path {
                try await bootstrap.bind(unixDomainSocketPath: path).get()
            } else {
                try await bootstrap.bind(host: "127.0.0.1", port: 0).get()
            }
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

    /// The connections that were accepted.
    var connectionCount: Int { state.withLock { $0.connectionCount } }

    /// The requests in order, as they came.
    var requests: [String] { state.withLock { $0.requests } }

    /// The bytes of all requests, with those of long bodies that ``requests`` lacks.
    var receivedCount: Int { state.withLock { $0.receivedCount } }

    /// The fills that have left.
    var finishedFills: Int { state.withLock { $0.finishedFills } }

    /// Waits until so many requests have come.
    func waitForRequests(_ count: Int) async {
        await wait { requests, _ in requests >= count }
    }

    /// Waits until so many connections are open.
    func waitForOpenConnections(_ count: Int) async {
        await wait { _, open in open == count }
    }

    private func wait(until condition: @escaping @Sendable (_ requests: Int, _ open: Int) -> Bool) async {
        await withCheckedContinuation { continuation in
            change { $0.watchers.append((condition, continuation)) }
        }
    }

    private func change(_ change: (inout State) -> Void) {
        let due = state.withLock { state in
            change(&state)
            let (requests, open) = (state.requests.count, state.openCount)
            let due = state.watchers.filter { $0.condition(requests, open) }.map(\.continuation)
            state.watchers.removeAll { $0.condition(requests, open) }
            return due
        }
        for continuation in due {
            continuation.resume()
        }
    }

    /// Counts connections as they are accepted: each is served by a loop of its own, perhaps later than the next one.
    private final class Counter: ChannelInboundHandler {
        typealias InboundIn = any Channel

        private let server: OddServer

        init(_ server: OddServer) {
            self.server = server
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            server.change { $0.connectionCount += 1 }
            context.fireChannelRead(data)
        }
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let server: OddServer
        private var text = ""
        /// The bytes of a long body that are still to come after its response; they are dropped.
        private var surplus = 0

        init(_ server: OddServer) {
            self.server = server
        }

        func channelActive(context: ChannelHandlerContext) {
            server.change { $0.openCount += 1 }
            context.fireChannelActive()
        }

        func channelInactive(context: ChannelHandlerContext) {
            server.change { $0.openCount -= 1 }
            context.fireChannelInactive()
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            var buffer = unwrapInboundIn(data)
            let count = buffer.readableBytes
            server.change { $0.receivedCount += count }
            let dropped = min(surplus, buffer.readableBytes)
            buffer.moveReaderIndex(forwardBy: dropped)
            surplus -= dropped
            guard buffer.readableBytes > 0 else {
                return
            }
            text += String(buffer: buffer)
            // A request ends with its head, unless it announces a body; long ones are answered at once.
            guard let end = text.firstRange(of: "\r\n\r\n") else {
                return
            }
            let length = text.firstRange(of: "Content-Length: ")
                .flatMap { mark in
                    Int(text[mark.upperBound...].prefix { $0.isNumber })
                }
            let body = text[end.upperBound...].utf8.count
            let isWhole =
                text.contains("Transfer-Encoding: chunked") ? text.hasSuffix("0\r\n\r\n") : body >= length ?? 0
            guard (length ?? 0) > 100_000 || text.contains("100-continue") || isWhole else {
                return
            }
            surplus = (length ?? 0) > 100_000 ? max(0, (length ?? 0) - body) : 0
            let request = text
            text = ""
            let number = server.requests.count
            server.change { $0.requests.append(request) }
            for step in server.respond(number) {
                perform(step, context)
            }
        }

        private func perform(_ step: Step, _ context: ChannelHandlerContext) {
            switch step {
            case .send(let text):
                context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
            case .trickle(let text):
                for byte in text.utf8 {
                    context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: [byte])), promise: nil)
                }
            case .fill(let count):
                let server = server
                let promise = context.eventLoop.makePromise(of: Void.self)
                promise.futureResult.whenSuccess { server.change { $0.finishedFills += 1 } }
                context.writeAndFlush(wrapOutboundOut(ByteBuffer(repeating: 97, count: count)), promise: promise)
            case .stopReading:
                try? context.channel.syncOptions?.setOption(.autoRead, value: false)
            case .pauseReading(let gate):
                let channel = context.channel
                try? channel.syncOptions?.setOption(.autoRead, value: false)
                Task {
                    try await gate.wait()
                    try await channel.setOption(.autoRead, value: true).get()
                }
            case .close:
                context.close(promise: nil)
            case .reset:
                let provider = context.channel as? any SocketOptionProvider
                _ = provider?.setSoLinger(linger(l_onoff: 1, l_linger: 0))
                context.close(promise: nil)
            }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            context.close(promise: nil)
        }
    }
}
