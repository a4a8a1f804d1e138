// SPDX-License-Identifier: MIT
import NIOCore
import NIOPosix

/// An HTTP server for tests, in the test's own process, on a free port of 127.0.0.1.
///
/// It speaks real HTTP over real sockets, in whatever ``Mode`` the test asks for, and answers what the test scripts,
/// wrong answers included (``LoopbackResponse``). It keeps what it has seen (``requests``, ``events``) and lets a test
/// wait for it, so that no test needs to sleep.
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
/// Servers are independent: any number may run at a time. A server that is forgotten stops when it is released.
public final class LoopbackServer: Sendable {
    /// Answers a request.
    ///
    /// The handler's task is cancelled when the client leaves or the server stops. An error it throws becomes a 500.
    public typealias Handler = @Sendable (LoopbackRequest) async throws -> LoopbackResponse

    /// When a route's handler is asked for its response.
    public enum AnswerTiming: Sendable {
        /// When the request has arrived whole: the handler sees its body.
        case afterBody
        /// When the request's head has arrived.
        ///
        /// The body is not read until the response has ended, so that a client that sends a large one has to wait. Then
        /// HTTP/1.1 reads it and throws it away; HTTP/2 asks the client to stop, by resetting the stream with NO_ERROR.
        case beforeBody
    }

    /// The port on 127.0.0.1.
    public let port: Int
    /// What the server speaks.
    public let mode: Mode
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

    /// The server's address without a slash at its end, for example `http://127.0.0.1:49152`.
    public var url: String {
        "\(mode.identity == nil ? "http" : "https")://127.0.0.1:\(port)"
    }

    /// Starts a server on a free port.
    ///
    /// - Parameters:
    ///   - mode: What it speaks. The default is HTTP/1.1 without TLS.
    ///   - options: Its limits and what it asks of clients.
    ///   - fallback: Answers requests that no route fits, as ``onAny(_:)`` does.
    /// - Returns: The server, ready for connections.
    /// - Throws: An error when no port can be bound or the identity is not usable.
    public static func start(
        _ mode: Mode = .http1,
        options: Options = Options(),
        fallback: Handler? = nil
    ) async throws -> LoopbackServer {
        let (exchanges, continuation) = AsyncStream.makeStream(of: ExchangeChannel.self)
        let core = ServerCore(router: Router(fallback: fallback), exchanges: continuation)
        let setup = try ConnectionSetup(core: core, mode: mode, options: options)
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 256)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try setup.configure(channel) }
            }
            .bind(host: "127.0.0.1", port: 0)
            .get()
        // The handlers run as children of this task, so they inherit the task-local values of whoever started it.
        let work = Task { await core.serve(exchanges) }
        let port = listener.localAddress?.port ?? 0
        return LoopbackServer(mode: mode, core: core, listener: listener, port: port, work: work)
    }

    /// Starts a server, hands it over and stops it afterwards, whatever happens.
    ///
    /// - Parameters:
    ///   - mode: What it speaks. The default is HTTP/1.1 without TLS.
    ///   - options: Its limits and what it asks of clients.
    ///   - body: Uses the server.
    /// - Returns: What `body` returned.
    /// - Throws: What `body` threw, or an error when the server could not be started.
    public static func with<Result>(
        _ mode: Mode = .http1,
        options: Options = Options(),
        _ body: (LoopbackServer) async throws -> Result
    ) async throws -> Result {
        let server = try await start(mode, options: options)
        do {
            let result = try await body(server)
            await server.stop()
            return result
        } catch {
            await server.stop()
            throw error
        }
    }

    /// Says what is answered to a method and a path.
    ///
    /// A pattern's segment in braces takes any segment of the path and is found in ``LoopbackRequest/parameters``;
    /// `{name*}` at the end takes all the rest. Words win over placeholders, whatever the order of registration; a
    /// route with the same method and pattern is replaced.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - pattern: The path, for example `/users/{id}`.
    ///   - timing: When the handler is asked. The default is when the body has arrived.
    ///   - handler: Answers the request.
    public func on(
        _ method: LoopbackMethod,
        _ pattern: String,
        answering timing: AnswerTiming = .afterBody,
        _ handler: @escaping Handler
    ) {
        core.add(Router.Route(handler: handler, timing: timing), method: method, pattern: RoutePattern(pattern))
    }

    /// Says what is answered to requests that no route fits.
    ///
    /// Until this is called they get a 404, or a 405 when another method has a route there.
    ///
    /// - Parameter handler: Answers the request.
    public func onAny(_ handler: @escaping Handler) {
        core.setFallback(handler)
    }

    /// Closes the port and every connection, and waits for the handlers, which are cancelled.
    ///
    /// A handler that neither ends nor heeds its cancellation is waited for. Stopping twice does nothing more.
    public func stop() async {
        // A listener that is closed already says so by an error.
        try? await listener.close().get()
        core.stop()
        await work.value
    }
}
