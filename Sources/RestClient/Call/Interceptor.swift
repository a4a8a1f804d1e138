// SPDX-License-Identifier: MIT

/// A stage that every request passes on its way out, and every response on its way back.
///
/// An interceptor may change the request, respond itself, inspect or replace the response, or call `next` again. The
/// built-in stages are interceptors too; `Pipeline.swift` defines their order.
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
/// A *call* interceptor runs once for each call, before the cache lookup; it also sees stored responses. An *attempt*
/// interceptor runs for each attempt on the wire while a worker slot is held. Header fields with a provider are set
/// between the two, and override those set by a call interceptor. Register interceptors at any level with
/// ``CallConfigurable/interceptors(_:)`` and ``CallConfigurable/attemptInterceptors(_:)``.
///
/// It may be called from any task, and for many calls concurrently. An error that it throws ends the call and reaches
/// the caller unchanged.
public protocol Interceptor: Sendable {
    /// Handles a request.
    ///
    /// - Parameters:
    ///   - request: The request as it leaves the previous stages.
    ///   - next: The stages that follow; call it to continue.
    /// - Returns: The response for the previous stages.
    /// - Throws: An error that ends the call; errors of `next`, unless the interceptor handles them.
    func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse
}

/// The stages that follow an interceptor.
public struct Next: Sendable {
    /// The stages of the call; the one at the index is next.
    let list: StageList
    let index: Int

    /// Handles the request after the last stage.
    let end: (any CallEnd)?

    /// Sends a request through the following stages; each call sends the request again.
    ///
    /// - Parameter request: The request, changed or not.
    /// - Returns: The response.
    /// - Throws: An error of the following stages; `CancellationError` when the task is cancelled.
    // Each function between two stages would cost the call's task memory and time.
    @inline(__always)
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
