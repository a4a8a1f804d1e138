// SPDX-License-Identifier: MIT

import HTTPTypes

/// Takes the cookies of each response, and sends them with the redirects that follow.
///
/// The first request has its cookies from a header provider, so that the cache knows them.
struct CookieStage: Interceptor {
    func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
        guard let terms: CookieTerms = request.call.policy.part() else {
            return try await next(request)
        }
        var request = request
        if terms.sends, !request.call.facts.redirects.isEmpty {
            let field = request.leavesEncryption ? nil : try terms.jar.field(for: request.url)
            if field != request.headers[.cookie] {
                request.headers[fields: .cookie] = field.map { [HTTPField(name: .cookie, value: $0)] } ?? []
                // The cache must see that the response belongs to another session than that of the first request.
                request.call.learn { $0.wire?[.cookie] = field }
            }
        }
        let response = try await next(request)
        terms.jar.take(response.headers[values: .setCookie], from: request.url)
        return response
    }
}

extension OutgoingRequest {
    /// A Boolean value that is true if redirects have led the call from `https` to `http`, where even cookies without
    /// `Secure` do not go along.
    fileprivate var leavesEncryption: Bool {
        let own = try? HTTPURL(call.url)
        let target = try? HTTPURL(url)
        return own?.scheme == "https" && target?.scheme != "https"
    }
}
