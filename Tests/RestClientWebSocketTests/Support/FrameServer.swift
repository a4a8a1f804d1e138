// SPDX-License-Identifier: MIT

import NIOCore
import NIOPosix
import NIOSSL
import RestClient
import TestSupport

@testable import RestClientWebSocket

/// A server whose every byte the test writes, on a free port of 127.0.0.1: each connection gets one run of a script.
struct FrameServer: Sendable {
    typealias Script = @Sendable (FrameConnection) async throws -> Void
    private typealias Socket = NIOAsyncChannel<ByteBuffer, ByteBuffer>

    let port: Int
    let manager: RestClientManager

    /// A call of the server.
    var node: RequestNode<WebSocketMessage> { manager.request(WebSocketMessage.self).endpoint("/live") }

    /// Runs an operation against a server that plays a script, with the usual options but for pings.
    static func with<Result: Sendable>(
        identity: TestIdentity? = nil,
        clock: any Clock<Duration> = ContinuousClock(),
        _ script: @escaping Script,
        _ body: @Sendable (FrameServer) async throws -> Result
    ) async throws -> Result {
        try await with(identity: identity.map { ServerIdentity($0) }, clock: clock, options: { _ in }, script, body)
    }

    /// Runs an operation against a server that plays a script.
    ///
    /// - Parameters:
    ///   - identity: The identity of TLS; none by default.
    ///   - clock: The clock of the manager.
    ///   - change: Changes the options of WebSockets, which begin without pings.
    ///   - script: Plays the server's side of each connection; one that throws cuts it.
    ///   - body: The operation.
    /// - Returns: The result of the operation.
    /// - Throws: The error of the operation, or that no port is free.
    static func with<Result: Sendable>(
        identity: ServerIdentity? = nil,
        clock: any Clock<Duration> = ContinuousClock(),
        options change: (inout WebSocketOptions) -> Void,
        _ script: @escaping Script,
        _ body: @Sendable (FrameServer) async throws -> Result
    ) async throws -> Result {
        let context = try identity.map { identity in
            try NIOSSLContext(
                configuration: .makeServerConfiguration(
                    certificateChain: [.certificate(identity.certificate)],
                    privateKey: .privateKey(identity.privateKey)
                )
            )
        }
        let (sockets, continuation) = AsyncStream.makeStream(of: Socket.self)
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let context {
                        try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
                    }
                    let socket = try Socket(wrappingChannelSynchronously: channel)
                    if case .terminated = continuation.yield(socket) {
                        // NIO traps when an async channel is released without having been run.
                        Task { try? await socket.executeThenClose { _, _ in } }
                    }
                }
            }
            .bind(host: "127.0.0.1", port: 0)
            .get()
        let port = listener.localAddress?.port ?? 0
        var configuration = RestClientManager.Configuration()
        configuration.clock = clock
        var transport = DirectTransport.Configuration()
        transport.additionalTrustRoots = identity.map { [$0.certificatePEM] } ?? []
        configuration.transport = try DirectTransport(configuration: transport)
        var options = WebSocketOptions()
        options.pingInterval = nil
        options.closeTimeout = .seconds(3_600)
        change(&options)
        let manager = RestClientManager(
            configuration: configuration.webSocketOptions(options).timeout(.seconds(3_600))
        )
        manager.servers["live"] = Server("\(identity == nil ? "http" : "https")://127.0.0.1:\(port)")
        manager.defaultServer = "live"
        let server = FrameServer(port: port, manager: manager)
        // It is never cancelled itself: then it would drop connections that it was not yet given.
        let work = Task {
            await withDiscardingTaskGroup { group in
                for await socket in sockets {
                    group.addTask { await play(script, on: socket) }
                }
                group.cancelAll()
            }
        }
        let result: Swift.Result<Result, any Error>
        do {
            result = .success(try await body(server))
        } catch {
            result = .failure(error)
        }
        try? await listener.close().get()
        continuation.finish()
        await work.value
        return try result.get()
    }

    private static func play(_ script: @escaping Script, on socket: Socket) async {
        try? await socket.executeThenClose { input, output in
            let connection = FrameConnection(output)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    do {
                        for try await bytes in input {
                            connection.receive(bytes)
                            if connection.hasStopped {
                                await untilCancelled()
                            }
                        }
                    } catch {
                        // A reset is an end like any other.
                    }
                    connection.end()
                }
                do {
                    try await script(connection)
                } catch {
                    group.cancelAll()
                    throw error
                }
                group.cancelAll()
            }
        }
    }
}
