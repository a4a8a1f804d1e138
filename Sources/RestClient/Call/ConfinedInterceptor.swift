// SPDX-License-Identifier: MIT

import HTTPTypes

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
