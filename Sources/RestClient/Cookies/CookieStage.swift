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
            // On the way from https to http not even cookies without 'Secure' go along.
            let isKept = !request.call.facts.redirects.contains(where: \.leavesEncryption)
            let field = isKept ? try terms.jar.field(for: request.url) : nil
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
