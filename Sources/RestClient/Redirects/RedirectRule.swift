// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials

/// Decides which request follows a redirect: pure.
struct RedirectRule {
    /// The number of times that the same request may be sent in one chain of redirects: a server that sets a cookie or
    /// is not ready yet may redirect to where the request came from, but then it responds.
    private static let visitLimit = 2

    private struct Visit: Hashable {
        let method: HTTPRequest.Method
        let url: String
        let headers: HTTPFields
    }

    private var request: OutgoingRequest
    private let policy: RedirectPolicy
    private var visits: [Visit: Int]
    private var followed = 0

    init(_ request: OutgoingRequest, policy: RedirectPolicy) {
        self.request = request
        self.policy = policy
        visits = [Self.visit(request): 1]
    }

    /// Returns true if a status asks for another request (RFC 9110, section 15.4).
    static func isRedirect(_ status: HTTPResponse.Status) -> Bool {
        switch status.code {
        case 301, 302, 303, 307, 308: true
        default: false
        }
    }

    /// Returns the request that follows a response; `nil` if the response is that of the call.
    ///
    /// - Throws: ``RestClientError`` if the response is a redirect that must not be followed.
    mutating func next(after response: RawResponse) throws(RestClientError) -> OutgoingRequest? {
        guard Self.isRedirect(response.status), let location = try Self.location(of: response) else {
            return nil
        }
        switch policy.mode {
        case .manual:
            return nil
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
            followed += 1
        }
        request = try Self.following(location, of: response, to: request, policy)
        let visit = Self.visit(request)
        guard visits[visit, default: 0] < Self.visitLimit else {
            throw RestClientError(
                .redirectLoop,
                "the server redirects in a circle, and leads to '\(Redaction.url(request.url))' for the third time",
                response: response
            )
        }
        visits[visit, default: 0] += 1
        return request
    }

    private static func visit(_ request: OutgoingRequest) -> Visit {
        Visit(method: request.method, url: request.url, headers: request.headers)
    }

    /// Returns where a response leads; `nil` if it does not say, or says nothing.
    private static func location(of response: RawResponse) throws(RestClientError) -> String? {
        let locations = Set(response.headers[values: .location].map { String(FieldList.trimmed($0[...])) })
        guard locations.count <= 1 else {
            throw RestClientError(
                .redirectRefused,
                "the server redirects to \(locations.count) places at once",
                response: response
            )
        }
        return locations.first.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Returns the request that a redirect asks for.
    private static func following(
        _ location: String,
        of response: RawResponse,
        to request: OutgoingRequest,
        _ policy: RedirectPolicy
    ) throws(RestClientError) -> OutgoingRequest {
        let (base, target) = try urls(location, of: response, to: request)
        let isEncrypted = base.scheme != "https" || target.scheme == "https"
        guard isEncrypted || policy.allowsPlainHTTP else {
            throw RestClientError(
                .redirectRefused,
                "the server redirects from https to '\(Redaction.url(location))', where anybody can read along; "
                    + "if that is meant, say so with .redirects(.follow.allowingPlainHTTP())",
                response: response
            )
        }
        guard target.hasOrigin(of: base) || !request.call.policy.redirectsWithinOrigin else {
            throw RestClientError(
                .redirectRefused,
                "the server redirects to '\(Redaction.url(location))', and the secrets in the request are not sent to "
                    + "another origin; if the request is meant for it, send it there",
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
            for name in Set(request.headers.map(\.name)) where describesBody(name) {
                next.headers[name] = nil
            }
        }
        if !target.hasOrigin(of: base) {
            next.headers = request.call.policy.fieldsCrossingOrigins(next.headers, isEncrypted: isEncrypted)
        }
        return next
    }

    private static func urls(
        _ location: String,
        of response: RawResponse,
        to request: OutgoingRequest
    ) throws(RestClientError) -> (base: HTTPURL, target: HTTPURL) {
        do throws(HTTPURL.Defect) {
            let base = try HTTPURL(request.url)
            let target = try HTTPURL(location, relativeTo: base)
            guard target.userInfo.isEmpty else {
                throw .invalid
            }
            return (base, target)
        } catch {
            throw RestClientError(
                .redirectRefused,
                "the server redirects to '\(Redaction.url(location))', which is not an http or https URL without a user name",
                response: response
            )
        }
    }

    /// Returns true if a field describes a body, or how it is sent, and so makes no sense without one.
    private static func describesBody(_ name: HTTPField.Name) -> Bool {
        let name = name.canonicalName
        return name.hasPrefix("content-")
            || ["digest", "expect", "repr-digest", "trailer", "transfer-encoding"].contains(name)
    }
}
