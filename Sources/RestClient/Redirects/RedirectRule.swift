// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import SharedStore

/// Decides which request follows a redirect, without I/O.
struct RedirectRule {
    /// The number of times that the same request may be sent in one chain of redirects: a server that sets a cookie or
    /// is not ready yet may redirect to where the request came from, but then it responds.
    private static let visitLimit = 2

    private struct Visit: Hashable {
        let method: HTTPRequest.Method
        let url: String
        let fields: [UInt8]

        init(_ request: OutgoingRequest) {
            method = request.method
            url = request.url
            fields = request.headers.bytes
        }
    }

    private var request: OutgoingRequest
    private let policy: RedirectPolicy
    /// The URL for which the call was sent, which decides what its fields are for.
    private let home: HTTPURL?
    private var visits: [Visit: Int]
    private var followed = 0

    init(_ request: OutgoingRequest, policy: RedirectPolicy) {
        self.request = request
        self.policy = policy
        home = try? HTTPURL(sent: request.url)
        visits = [Visit(request): 1]
    }

    /// Returns true if a status asks for another request (RFC 9110, section 15.4).
    static func isRedirect(_ status: HTTPResponse.Status) -> Bool {
        switch status.code {
        case 301, 302, 303, 307, 308: true
        default: false
        }
    }

    /// Returns the way in which a redirect sends a request again (RFC 9110, sections 15.4.2 to 15.4.4).
    static func occasion(of status: HTTPResponse.Status, _ method: HTTPRequest.Method) -> Repetition.Occasion {
        let becomesGet =
            switch status.code {
            case 303: method != .head && method != .get
            case 301, 302: method == .post
            default: false
            }
        return becomesGet ? .redirectToGet : .redirect
    }

    /// Returns the request that follows a response, to be completed and visited; `nil` if the response is the call's.
    mutating func next(after response: RawResponse) throws(RestClientError) -> OutgoingRequest? {
        guard Self.isRedirect(response.status), let location = try Self.location(of: response) else {
            return nil
        }
        switch policy.mode {
        case .manual:
            return nil
        case .refuse:
            throw Self.refusal("to '\(Redaction.url(location))', which the request refuses", response)
        case .follow(let limit) where followed == limit:
            throw RestClientError(
                .tooManyRedirects,
                "the server redirected more than \(limit) times, last to '\(Redaction.url(location))'",
                response: response
            )
        case .follow:
            followed += 1
        }
        return try following(location, of: response)
    }

    mutating func visit(_ next: OutgoingRequest, after response: RawResponse) throws(RestClientError) {
        let visit = Visit(next)
        guard visits[visit, default: 0] < Self.visitLimit else {
            throw RestClientError(
                .redirectLoop,
                "the server redirects in a circle, and leads to '\(Redaction.url(next.url))' for the third time",
                response: response
            )
        }
        visits[visit, default: 0] += 1
        request = next
    }

    /// Returns where a response leads; `nil` if it does not say, or says nothing.
    private static func location(of response: RawResponse) throws(RestClientError) -> String? {
        let locations = Set(
            response.headers[fields: .location].map { RowKey(String(FieldList.trimmed($0.reference[...]))) }
        )
        guard locations.count <= 1 else {
            throw refusal("to \(locations.count) places at once", response)
        }
        return locations.first.flatMap { $0.string.isEmpty ? nil : $0.string }
    }

    private func following(
        _ location: String,
        of response: RawResponse
    ) throws(RestClientError) -> OutgoingRequest {
        let (base, target) = try Self.urls(location, of: response, to: request)
        let isEncrypted = base.scheme != "https" || target.scheme == "https"
        guard isEncrypted || policy.allowsPlainHTTP else {
            throw Self.refusal(
                "from https to '\(Redaction.url(location))', where anybody can read along; if that is meant, say so "
                    + "with .redirects(.follow.allowingPlainHTTP())",
                response
            )
        }
        let call = request.call.policy
        let isHome = home.map { target.hasOwner(of: $0, among: call.addresses) } ?? false
        guard isHome || !call.redirectsWithinServer else {
            throw Self.refusal(
                "to '\(Redaction.url(location))', and the secrets in the request are not sent to another server; if the "
                    + "request is meant for it, send it there",
                response
            )
        }
        var next = request
        next.url = target.writtenText
        let occasion = Self.occasion(of: response.status, request.method)
        switch Repetition(of: request).verdict(occasion) {
        case .stop(let reason):
            throw RestClientError(.bodyNotRepeatable, reason.clause, response: response)
        case .sendWithoutBody where occasion == .redirectToGet:
            next.method = .get
            next.body = nil
            for name in Set(request.headers.map(\.name)) where Self.describesBody(name) {
                next.headers[name] = nil
            }
        case .send, .sendWithoutBody:
            break
        }
        if !isHome {
            next.headers = call.fieldsLeavingServer(next.headers, of: next.method, isEncrypted: isEncrypted)
            if next.headers != request.headers, home.map({ target.hasOrigin(of: $0) }) ?? false {
                request.call.tell("a redirect left the path of the server, and fields set for the server stayed behind")
            }
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
            // What is judged is what is sent.
            return (base, try HTTPURL(whole: target.textForSending))
        } catch {
            throw refusal(
                "to '\(Redaction.url(location))', which is not an http or https URL without a user name",
                response
            )
        }
    }

    private static func refusal(_ reason: String, _ response: RawResponse) -> RestClientError {
        RestClientError(.redirectRefused, "the server redirects \(reason)", response: response)
    }

    /// Returns true if a field describes a body, or how it is sent, and so makes no sense without one.
    static func describesBody(_ name: HTTPField.Name) -> Bool {
        let name = name.canonicalName
        return name.hasPrefix("content-")
            || ["digest", "expect", "repr-digest", "trailer", "transfer-encoding"].contains(name)
    }
}
