// SPDX-License-Identifier: MIT

/// Sends one request and returns its response.
///
/// Use ``DirectTransport`` unless you have a reason not to; on Apple platforms ``URLSessionTransport`` follows
/// the system's proxies and policies. To respond without a network, prefer dummies (``RestClientManager/dummies``),
/// which need no transport of their own.
///
/// To write one, implement the first method, and the second one to stream responses:
///
/// - Send the request unchanged: no redirects, no retries, no cookies, no cache, and only the header fields that HTTP
///   needs.
/// - Remove the content codings that the request accepts. A body over ``TransportRequest/responseLimit`` is a
///   ``RestClientError/Code-swift.struct/responseTooLarge``; an incomplete one is an error too, never a short body.
/// - Report failures as ``RestClientError`` with the codes for hosts, connections, TLS, time and malformed responses.
///   ``RestClientError/Code-swift.struct/hostNotFound`` and ``RestClientError/Code-swift.struct/connectionFailed`` mean
///   that nothing was sent, so that an unsafe request may be repeated. Every status is a response, not a failure.
/// - When the task is cancelled, stop the exchange on the wire and throw `CancellationError`.
///
/// To fake one in a unit test, return what the test needs:
///
/// ```swift
/// struct StubTransport: Transport {
///     let respond: @Sendable (TransportRequest) async throws -> RawResponse
///     func send(_ request: TransportRequest) async throws -> RawResponse { try await respond(request) }
/// }
/// ```
public protocol Transport: Sendable {
    /// A Boolean value that is true if the transport checks ``TransportRequest/pinnedKeys``; `false` by default.
    ///
    /// Requests with pins are refused before they reach a transport that does not.
    var checksPinnedKeys: Bool { get }

    /// A Boolean value that is true if the transport reaches servers as ``CallConfigurable/proxy(_:)`` and
    /// ``CallConfigurable/reached(at:)`` say; `false` by default.
    ///
    /// Requests that would need another way are refused before they reach a transport that does not. One that passes
    /// its requests on to ``DirectTransport`` returns `true`.
    var followsRoutes: Bool { get }

    /// Sends a request and waits for the complete response.
    ///
    /// - Parameter request: The request.
    /// - Returns: The response, with any status.
    /// - Throws: ``RestClientError``, or `CancellationError` if the task is cancelled.
    func send(_ request: TransportRequest) async throws -> RawResponse

    /// Sends a request and waits for the head of the response; its body is ``RawResponse/stream``.
    ///
    /// Read the connection only as fast as the stream is read. ``TransportRequest/timeout`` is the time limit for the
    /// head, ``TransportRequest/idleTimeout`` that between two chunks while a reader waits. A stream that is released
    /// or cancelled ends the exchange.
    ///
    /// A transport need not implement it: the default waits for the complete response, like ``send(_:)``.
    ///
    /// - Parameter request: The request.
    /// - Returns: The response, with any status; without a stream if its body is complete.
    /// - Throws: ``RestClientError``, or `CancellationError` if the task is cancelled.
    func open(_ request: TransportRequest) async throws -> RawResponse
}

extension Transport {
    /// False: the transport checks no pins.
    public var checksPinnedKeys: Bool { false }

    /// False: the transport goes its own way.
    public var followsRoutes: Bool { false }

    /// Sends a request and waits for the complete response.
    public func open(_ request: TransportRequest) async throws -> RawResponse {
        try await send(request)
    }
}

/// A transport whose exchanges end when ``TransportRequest/cancellation`` says so, besides with their task.
package protocol CancellingTransport: Transport {}

extension TransportRequest {
    var isCancelled: Bool { Task.isCancelled || cancellation?.isCancelled == true }
}
