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
