// SPDX-License-Identifier: MIT

/// A stage that every request passes on its way out, and every response on its way back.
///
/// An interceptor may change the request, respond by itself, look at the response or replace it, or call `next` again.
/// The built-in stages are interceptors too; the order of all of them stands in `Pipeline.swift`.
///
/// ```swift
/// struct Signature: Interceptor {
///     func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
///         var request = request
///         request.headers[.authorization] = sign(request)
///         return try await next(request)
///     }
/// }
/// ```
///
/// A *call* interceptor runs once for each call, before the cache is asked; it sees stored responses too. An
/// *attempt* interceptor runs for each attempt on the wire while a worker slot is held. Header fields with a
/// provider are set between the two, and win over what a call interceptor set. Register them at any level with
/// ``CallConfigurable/interceptors(_:)`` and ``CallConfigurable/attemptInterceptors(_:)``.
///
/// It may be called from any task, for many calls at a time. An error that it throws ends the call and reaches the
/// caller as it is.
public protocol Interceptor: Sendable {
    /// Handles a request.
    ///
    /// - Parameters:
    ///   - request: The request as the stages before left it.
    ///   - next: The stages that follow; call it to continue.
    /// - Returns: The response for the stages before.
    /// - Throws: An error that ends the call; errors of `next`, unless the interceptor handles them.
    func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse
}

/// The stages that follow an interceptor.
public struct Next: Sendable {
    /// The stages of the call, of which the one at the index is next.
    let list: StageList
    let index: Int

    /// Handles the request behind the last stage.
    let end: (any CallEnd)?

    /// Sends a request through the stages that follow; call it again to send the request once more.
    ///
    /// - Parameter request: The request, changed or not.
    /// - Returns: The response.
    /// - Throws: An error of the stages that follow; `CancellationError` when the task is cancelled.
    public func callAsFunction(_ request: OutgoingRequest) async throws -> RawResponse {
        if index < list.stages.count {
            let next = Next(list: list, index: index + 1, end: end)
            return try await list.stages[index].intercept(request, next: next)
        }
        guard let end else {
            throw RestClientError(.transportFailed, "the pipeline ends without a transport")
        }
        return try await end.respond(to: request)
    }
}
