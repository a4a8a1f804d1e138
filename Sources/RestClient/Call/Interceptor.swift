// SPDX-License-Identifier: MIT

import HTTPTypes

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
/// ``CallConfigurable/interceptors(_:perAttempt:)``.
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

    /// Sends a request through the following stages; each call sends the request again.
    ///
    /// - Parameter request: The request, changed or not.
    /// - Returns: The response.
    /// - Throws: An error of the following stages; `CancellationError` when the task is cancelled.
    @inline(__always)
    public func callAsFunction(_ request: OutgoingRequest) async throws -> RawResponse {
        // Inlined: each function between two stages would cost the call's task memory and time.
        guard index < list.stages.count else {
            throw RestClientError(.transportFailed, "the pipeline ends without a transport")
        }
        return try await list.stages[index].intercept(request, next: Next(list: list, index: index + 1))
    }
}

/// Stages in their order, kept by reference.
final class StageList: Sendable {
    let stages: [any Interceptor]

    init(_ stages: [any Interceptor]) {
        self.stages = stages
    }

    @inline(__always)
    func send(_ request: OutgoingRequest) async throws -> RawResponse {
        try await Next(list: self, index: 0)(request)
    }
}

/// Runs an interceptor that may change everything about a request except where it goes: its method, and its URL up to
/// the query.
struct ConfinedInterceptor: Interceptor {
    let base: any Interceptor
    /// The error for a request that would go elsewhere.
    let refusal: RestClientError

    func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
        let border = Border(origin: request, refusal: refusal, next: next)
        return try await base.intercept(request, next: Next(list: StageList([border]), index: 0))
    }

    /// Passes requests on whose target is the original one.
    private struct Border: Interceptor {
        let origin: OutgoingRequest
        let refusal: RestClientError
        let next: Next

        func intercept(_ request: OutgoingRequest, next _: Next) async throws -> RawResponse {
            guard request.method == origin.method, request.place.elementsEqual(origin.place),
                OutgoingRequest.hostField.map({ request.headers[$0] == origin.headers[$0] }) ?? true
            else {
                throw refusal
            }
            return try await next(request)
        }
    }
}

extension OutgoingRequest {
    /// The field that names the host, whatever the URL says.
    static let hostField = HTTPField.Name("Host")

    /// The URL up to its query, as it is written, so that no two parsers can read it in two ways.
    fileprivate var place: some Sequence<UInt8> {
        HTTPURL.beginning(of: url)
    }
}

extension CallConfigurable {
    /// Adds interceptors, which see each call once, before the cache lookup, or each attempt on the wire, while a
    /// worker slot is held.
    ///
    /// Those of outer levels come first.
    ///
    /// - Parameters:
    ///   - interceptors: The interceptors, in order.
    ///   - perAttempt: Pass `true` for interceptors that see each attempt. Defaults to `false`.
    /// - Returns: A changed copy.
    public consuming func interceptors(_ interceptors: any Interceptor..., perAttempt: Bool = false) -> Self {
        let key: CallOptionKey<InterceptorList> = perAttempt ? .attemptInterceptors : .callInterceptors
        options[key, default: InterceptorList()].interceptors += interceptors
        return self
    }
}

struct InterceptorList: Sendable {
    var interceptors: [any Interceptor] = []
}

extension CallOptionKey<InterceptorList> {
    static var callInterceptors: Self { list("call interceptors") }

    static var attemptInterceptors: Self { list("attempt interceptors") }

    private static func typeName(of interceptor: any Interceptor) -> String {
        "\(type(of: (interceptor as? ConfinedInterceptor)?.base ?? interceptor))"
    }

    private static func list(_ name: String) -> Self {
        Self(
            name,
            join: { InterceptorList(interceptors: $0.interceptors + $1.interceptors) },
            needs: .interceptors,
            describe: { $0.interceptors.map { typeName(of: $0) }.joined(separator: ", ") }
        )
    }
}

extension CallContext {
    /// The options in force for the call.
    public var options: CallOptions { policy.options }
}
