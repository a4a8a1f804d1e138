// SPDX-License-Identifier: MIT

import HTTPTypes
import SharedStore

/// Takes the cookies of each response; requests have theirs from a header provider, so that the cache knows them, and
/// behind redirects from the terms of the call.
struct CookieStage: Interceptor {
    func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
        let response = try await next(request)
        let terms: CookieTerms? = request.call.policy.part()
        terms?.jar.take(response.headers.texts(.setCookie), from: request.url)
        return response
    }
}
