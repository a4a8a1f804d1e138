// SPDX-License-Identifier: MIT

import ConcurrencyTesting
import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS
import Synchronization

/// A server for tests that breaks HTTP/1.1 or HTTP/2 on purpose, on a free port of 127.0.0.1.
///
/// It writes the bytes of a ``Fault`` to the socket as they are, at the pace that the fault says. Each injected fault
/// meets one request, in the order of the injections; every other request gets the response `good` with status 200.
///
/// ```swift
/// try await FaultServer.with { server in
///     server.inject(.cutInBody)
///     await #expect(throws: RestClientError.self) { try await client.get(server.url) }
///     #expect(try await client.get(server.url) == "good")
/// }
/// ```
///
/// ``Fault/all`` lists the faults that every client should survive, ``Fault/allOfHTTP2`` those of HTTP/2. Over TLS
/// (``start(https1:)``) the bytes of a fault are those inside TLS. `LoopbackServer` is for all other tests, and for
/// those of users.
public final class FaultServer: Sendable {
    /// The port on 127.0.0.1.
    public let port: Int
    private let core: FaultCore
    private let listener: any Channel
    private let isSecure: Bool

    private init(core: FaultCore, listener: any Channel, port: Int, isSecure: Bool) {
        self.isSecure = isSecure
        self.core = core
        self.listener = listener
        self.port = port
    }

    deinit {
        listener.close(promise: nil)
        core.stop()
    }

    /// The server's address without a trailing slash, for example `http://127.0.0.1:49152`.
    public var url: String { "\(isSecure ? "https" : "http")://127.0.0.1:\(port)" }

    /// The number of requests whose head has arrived.
    public var requestCount: Int { core.log.value.requests }

    /// The number of connections so far.
    public var connectionCount: Int { core.log.value.connections }

    /// The number of connections that are open.
    public var openConnectionCount: Int { core.log.value.open }

    /// The faults that have met a request, in their order.
    public var met: [Fault] { core.log.value.met }

    /// Starts a server on a free port.
    ///
    /// - Parameters:
    ///   - identity: The identity of a server that speaks HTTP/2 over TLS; by default it speaks HTTP/1.1 without TLS.
    ///   - alsoSpeaksHTTP1: True if it speaks HTTP/1.1 over TLS to clients that do not offer HTTP/2.
    /// - Returns: The server, ready for connections.
    /// - Throws: An error if no port can be bound or the identity is not usable.
    public static func start(
        http2 identity: TestIdentity? = nil,
        orHTTP1 alsoSpeaksHTTP1: Bool = false
    ) async throws -> FaultServer {
        try await listen(identity, identity == nil ? [] : ["h2"] + (alsoSpeaksHTTP1 ? ["http/1.1"] : []))
    }

    /// Starts a server on a free port that speaks HTTP/1.1 over TLS.
    ///
    /// - Parameter identity: Its identity.
    /// - Returns: The server, ready for connections.
    /// - Throws: An error if no port can be bound or the identity is not usable.
    public static func start(https1 identity: TestIdentity) async throws -> FaultServer {
        try await listen(identity, ["http/1.1"])
    }

    private static func listen(_ identity: TestIdentity?, _ protocols: [String]) async throws -> FaultServer {
        let core = FaultCore()
        let tls = try identity.map { identity in
            var configuration = TLSConfiguration.makeServerConfiguration(
                certificateChain: [.certificate(identity.certificate)],
                privateKey: .privateKey(identity.privateKey)
            )
            configuration.applicationProtocols = protocols
            return try NIOSSLContext(configuration: configuration)
        }
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 256)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if let tls {
                        try pipeline.addHandler(NIOSSLServerHandler(context: tls))
                    }
                    if protocols.count > 1 {
                        try pipeline.addHandler(Chooser(core: core))
                    } else if protocols == ["h2"] {
                        try Self.addHTTP2(to: pipeline, core)
                    } else {
                        try pipeline.addHandler(FaultConnection(core: core))
                    }
                }
            }
            .bind(host: "127.0.0.1", port: 0)
            .get()
        return FaultServer(
            core: core,
            listener: listener,
            port: listener.localAddress?.port ?? 0,
            isSecure: tls != nil
        )
    }

    /// Runs an operation with a server, and stops the server afterwards.
    ///
    /// - Parameters:
    ///   - identity: The identity of a server that speaks HTTP/2, see ``start(http2:orHTTP1:)``.
    ///   - alsoSpeaksHTTP1: True if it speaks HTTP/1.1 to clients that do not offer HTTP/2.
    ///   - body: The operation.
    /// - Returns: The operation's result.
    /// - Throws: The operation's error, or an error if the server cannot be started.
    public static func with<Result>(
        http2 identity: TestIdentity? = nil,
        orHTTP1 alsoSpeaksHTTP1: Bool = false,
        _ body: (FaultServer) async throws -> Result
    ) async throws -> Result {
        try await run(try await start(http2: identity, orHTTP1: alsoSpeaksHTTP1), body)
    }

    /// Runs an operation with a server of HTTP/1.1 over TLS, and stops the server afterwards.
    ///
    /// - Parameters:
    ///   - identity: The identity of the server.
    ///   - body: The operation.
    /// - Returns: The operation's result.
    /// - Throws: The operation's error, or an error if the server cannot be started.
    public static func with<Result>(
        https1 identity: TestIdentity,
        _ body: (FaultServer) async throws -> Result
    ) async throws -> Result {
        try await run(try await start(https1: identity), body)
    }

    private static func run<Result>(
        _ server: FaultServer,
        _ body: (FaultServer) async throws -> Result
    ) async throws -> Result {
        do {
            let result = try await body(server)
            await server.stop()
            return result
        } catch {
            await server.stop()
            throw error
        }
    }

    /// Lets a fault meet the next requests that no other fault meets.
    ///
    /// - Parameters:
    ///   - fault: The fault.
    ///   - count: The number of requests.
    public func inject(_ fault: Fault, count: Int = 1) {
        core.inject(fault, count: count)
    }

    /// Decides about each request that no injected fault meets, as the handler of a server of one's own.
    ///
    /// - Parameter respond: Returns the response as the steps of a fault, or `nil` for the usual one. It is called on
    ///   the event loop of the connection, for requests that have arrived as far as their head.
    public func onRequest(_ respond: @escaping @Sendable (Request) -> Fault?) {
        core.setResponder(respond)
    }

    /// Waits until a number of requests has arrived.
    ///
    /// - Parameter count: The number.
    /// - Throws: `CancellationError` if the calling task is cancelled.
    public func waitForRequests(count: Int) async throws {
        try await core.log.wait { log in log.requests >= count ? () : nil }
    }

    /// Closes the port and every connection.
    ///
    /// Stopping again has no effect.
    public func stop() async {
        // A closed listener throws an error.
        try? await listener.close().get()
        core.stop()
    }
}

extension FaultServer {
    /// Speaks what the handshake of TLS has chosen.
    private final class Chooser: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let core: FaultCore

        init(core: FaultCore) {
            self.core = core
        }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            guard case .handshakeCompleted(let chosen) = event as? TLSUserEvent else {
                return context.fireUserInboundEventTriggered(event)
            }
            do {
                let pipeline = context.pipeline.syncOperations
                if chosen == "h2" {
                    try FaultServer.addHTTP2(to: pipeline, core)
                } else {
                    try pipeline.addHandler(FaultConnection(core: core))
                }
                // The new handler has not heard of the connection, which was made before it came.
                context.fireChannelActive()
            } catch {
                context.close(promise: nil)
            }
        }
    }
}
