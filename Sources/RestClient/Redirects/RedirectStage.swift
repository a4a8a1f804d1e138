// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials

/// Follows redirects (RFC 9110, section 15.4) according to the call's policy.
struct RedirectStage: Interceptor {
    let hub: EventHub
    let now: @Sendable () -> Date

    func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
        var response = try await next(request)
        guard Self.isRedirect(response.status) else {
            return response
        }
        var request = request
        var followed = 0
        while Self.isRedirect(response.status), let location = response.headers[.location] {
            switch request.call.policy.redirects.mode {
            case .manual:
                return response
            case .refuse:
                throw RestClientError(
                    .redirectRefused,
                    "the server redirects to '\(Redaction.url(location))', which the request refuses",
                    response: response
                )
            case .follow(let limit) where followed == limit:
                throw RestClientError(
                    .tooManyRedirects,
                    "the server redirected more than \(limit) times, last to '\(Redaction.url(location))'",
                    response: response
                )
            case .follow:
                request = try Self.following(location, of: response, to: request)
            }
            followed += 1
            let hop = RedirectHop(status: response.status, headers: response.headers, time: now())
            request.call.learn { $0.redirects.append(hop) }
            hub.emit(.redirected(url: Redaction.url(request.url)), request.call)
            response = try await next(request)
            response.url = response.url ?? request.url
        }
        return response
    }

    private static func isRedirect(_ status: HTTPResponse.Status) -> Bool {
        switch status.code {
        case 301, 302, 303, 307, 308: true
        default: false
        }
    }

    /// Returns the request that follows a redirect.
    static func following(
        _ location: String,
        of response: RawResponse,
        to request: OutgoingRequest
    ) throws(RestClientError) -> OutgoingRequest {
        let base: HTTPURL
        let target: HTTPURL
        do throws(HTTPURL.Defect) {
            base = try HTTPURL(request.url)
            target = try HTTPURL(location, relativeTo: base)
            guard target.userInfo.isEmpty else {
                throw .invalid
            }
        } catch {
            throw RestClientError(
                .redirectRefused,
                "the server redirects to '\(Redaction.url(location))', which is not an http or https URL without a user name",
                response: response
            )
        }
        var next = request
        next.url = target.textForSending
        let occasion = BodyReplay.Occasion.redirect(response.status.code)
        switch BodyReplay.decision(occasion, method: request.method, body: request.body) {
        case .send:
            break
        case .stop(let error):
            throw RestClientError(error.code, error.message, response: response)
        case .sendWithoutBody(let method) where method == request.method:
            break
        case .sendWithoutBody(let method):
            next.method = method
            next.body = nil
            let names: [HTTPField.Name] = [
                .contentType, .contentLength, .contentEncoding, .contentLanguage, .contentLocation,
            ]
            for name in names {
                next.headers[name] = nil
            }
        }
        if !target.hasOrigin(of: base) {
            let isEncrypted = base.scheme != "https" || target.scheme == "https"
            next.headers = request.call.policy.fieldsCrossingOrigins(next.headers, isEncrypted: isEncrypted)
        }
        return next
    }
}
