// SPDX-License-Identifier: MIT

public import HTTPTypes
import NIOCore
import NIOPosix
public import RestClient
import Synchronization

/// An HTTP server for tests, in the test's own process, on a free port of 127.0.0.1.
///
/// It speaks real HTTP over real sockets, in the ``Mode`` that the test chooses, and sends the responses that the test
/// defines, including invalid ones (``LoopbackResponse``). It logs ``requests``, and a test can wait for them instead
/// of sleeping.
///
/// ```swift
/// try await LoopbackServer.with(.http1) { server in
///     server.on(.get, "/users/{id}") { request in
///         .json(#"{"id": \#(request.parameters["id"] ?? "")}"#)
///     }
///     let user = try await client.get(server.url + "/users/7")
///     #expect(server.requests.map(\.path) == ["/users/7"])
/// }
/// ```
///
/// Servers are independent, and any number can run concurrently. A server stops when it is released.
public final class LoopbackServer: Sendable {
    /// Returns the response to a request.
    ///
    /// The handler's task is cancelled when the client disconnects or the server stops. If it throws, the response is a
    /// 500.
    public typealias Handler = @Sendable (LoopbackRequest) async throws -> LoopbackResponse

    /// The port on 127.0.0.1.
    public let port: Int
    package let mode: Mode
    let core: ServerCore
    private let listener: any Channel
    private let work: Task<Void, Never>

    private init(mode: Mode, core: ServerCore, listener: any Channel, port: Int, work: Task<Void, Never>) {
        self.mode = mode
        self.core = core
        self.listener = listener
        self.port = port
        self.work = work
    }

    deinit {
        listener.close(promise: nil)
        core.stop()
    }

    /// The server's address without a trailing slash, for example `http://127.0.0.1:49152`.
    public var url: String {
        "\(mode.identity == nil ? "http" : "https")://127.0.0.1:\(port)"
    }

    /// Starts a server on a free port.
    ///
    /// - Parameters:
    ///   - mode: The protocols; HTTP/1.1 without TLS by default.
    ///   - requiredClient: The identity whose certificate a client must present in the TLS handshake; none by default.
    /// - Returns: The server, ready for connections.
    /// - Throws: An error if no port can be bound or the identity is not usable.
    public static func start(
        _ mode: Mode = .http1,
        requiredClient: TestIdentity? = nil
    ) async throws -> LoopbackServer {
        let (exchanges, continuation) = AsyncStream.makeStream(of: ExchangeChannel.self)
        let core = ServerCore(exchanges: continuation)
        let setup = try ConnectionSetup(core: core, mode: mode, requiredClient: requiredClient)
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 256)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try setup.configure(channel) }
            }
            .bind(host: "127.0.0.1", port: 0)
            .get()
        // The handlers run as children of this task, so they inherit the task-local values of the caller.
        let work = Task { await core.serve(exchanges) }
        let port = listener.localAddress?.port ?? 0
        return LoopbackServer(mode: mode, core: core, listener: listener, port: port, work: work)
    }

    /// Runs an operation with a server, and stops the server afterwards.
    ///
    /// - Parameters:
    ///   - mode: The protocols; HTTP/1.1 without TLS by default.
    ///   - requiredClient: The identity whose certificate a client must present in the TLS handshake; none by default.
    ///   - body: The operation.
    /// - Returns: The operation's result.
    /// - Throws: The operation's error, or an error if the server cannot be started.
    public static func with<Result>(
        _ mode: Mode = .http1,
        requiredClient: TestIdentity? = nil,
        _ body: (LoopbackServer) async throws -> Result
    ) async throws -> Result {
        let server = try await start(mode, requiredClient: requiredClient)
        do {
            let result = try await body(server)
            await server.stop()
            return result
        } catch {
            await server.stop()
            throw error
        }
    }

    /// Sets the handler of a method and a path.
    ///
    /// The pattern is a path template, as for dummies: `{name}` matches one segment, and `{+name}` all remaining
    /// segments. Their values are ``LoopbackRequest/parameters``. Items of a query without placeholders are conditions,
    /// as in `/search?kind=book`. Text takes precedence over placeholders, and more conditions over fewer, regardless
    /// of the order of registration; of routes that are equally specific, the last one responds. A route with the same
    /// method and pattern is replaced.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - pattern: The path, for example `/users/{id}`.
    ///   - handler: Returns the response; it is called when the body has arrived.
    public func on(_ method: HTTPRequest.Method, _ pattern: PathTemplate, _ handler: @escaping Handler) {
        add(Router.Route(handler: handler), method, pattern)
    }

    /// Sets a handler that is called when the head has arrived; the body is not read before the response has ended.
    package func onHead(_ method: HTTPRequest.Method, _ pattern: PathTemplate, _ handler: @escaping Handler) {
        add(Router.Route(handler: handler, awaitsBody: false), method, pattern)
    }

    private func add(_ route: Router.Route, _ method: HTTPRequest.Method, _ pattern: PathTemplate) {
        core.router.withLock { router in router.add(route, method: method, template: pattern) }
    }

    /// Sets the handler of requests that no route matches.
    ///
    /// Without it they get a 404, or a 405 if another method has a route there.
    ///
    /// - Parameter handler: Returns the response.
    public func onAny(_ handler: @escaping Handler) {
        core.router.withLock { router in router.fallback = Router.Route(handler: handler) }
    }

    /// Closes the port and every connection, cancels the handlers and waits for them.
    ///
    /// It also waits for handlers that ignore cancellation. Stopping again has no effect.
    public func stop() async {
        // A closed listener throws an error.
        try? await listener.close().get()
        core.stop()
        await work.value
    }
}
