// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials

struct RedirectStage: Interceptor {
    let hub: EventHub
    let now: @Sendable () -> Date

    func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
        let response = try await next(request)
        guard RedirectRule.isRedirect(response.status) else {
            return response
        }
        return try await follow(response, to: request, next)
    }

    @inline(never)
    private func follow(
        _ redirect: RawResponse,
        to request: OutgoingRequest,
        _ next: Next
    ) async throws -> RawResponse {
        var response = redirect
        var rule = RedirectRule(request, policy: request.call.policy.redirects)
        let options = request.call.policy.options
        var (method, url) = (request.method, request.url)
        while var request = try rule.next(after: response) {
            let hop = RedirectHop(
                status: response.status,
                headers: response.headers,
                time: now(),
                endsUnsafeRequest: options.isUnsafe(method) && !options.isUnsafe(request.method),
                leavesEncryption: Self.isEncrypted(url) && !Self.isEncrypted(request.url),
                leavesServer: !request.call.isHome(request.url)
            )
            (method, url) = (request.method, request.url)
            request.call.learn { $0.request.redirects.append(hop) }
            for part in request.call.policy.parts {
                try part.complete(&request)
            }
            try rule.visit(request, after: response)
            hub.emit(.redirected(url: Redaction.url(request.url)), request.call)
            response = try await next(request)
            response.url = response.url ?? request.url
        }
        return response
    }

    private static func isEncrypted(_ url: String) -> Bool {
        (try? HTTPURL(sent: url))?.scheme == "https"
    }
}
