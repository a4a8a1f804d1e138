// SPDX-License-Identifier: MIT

import HTTPTypes

/// Decides what becomes of a request's body when a request is sent again: pure.
///
/// Retry, redirects and token refresh ask here, so that they agree.
enum BodyReplay {
    /// Why a request is sent again.
    enum Occasion: Sendable, Hashable {
        /// The attempt failed.
        case retry
        /// The server redirects with a status.
        case redirect(Int)
        /// The token was refreshed after a 401.
        case tokenRefresh
    }

    /// How far a body has been read.
    enum Use: Sendable, Hashable {
        /// Not at all: no connection was made, or the server responded to `Expect: 100-continue` at once.
        case untouched
        /// In part or whole.
        case begun
    }

    /// The fate of a request.
    enum Decision: Sendable {
        /// The request is sent with its body.
        case send(HTTPRequest.Method)
        /// The request is sent without a body, and without the fields that describe one.
        case sendWithoutBody(HTTPRequest.Method)
        /// The request is not sent again: the outcome of the last attempt stands; the error says why there is no other.
        case stop(RestClientError)
    }

    /// Decides what is done.
    ///
    /// - Parameters:
    ///   - occasion: Why the request is sent again.
    ///   - method: The method of the last attempt.
    ///   - body: The body of the last attempt.
    /// - Returns: The decision.
    static func decision(
        _ occasion: Occasion,
        method: HTTPRequest.Method,
        body: RequestBody?
    ) -> Decision {
        if case .redirect(let status) = occasion, becomesGet(status, method) {
            return .sendWithoutBody(.get)
        }
        guard let body else {
            return .sendWithoutBody(method)
        }
        guard body.canBeSent else {
            return .stop(
                RestClientError(
                    .bodyNotRepeatable,
                    "the body is a stream that has been read; \(reason(occasion)): "
                        + "give a closure that opens the stream, a file or bytes"
                )
            )
        }
        return .send(method)
    }

    /// True if a redirect asks for another resource in place of this one (RFC 9110, sections 15.4.2 to 15.4.4).
    static func becomesGet(_ status: Int, _ method: HTTPRequest.Method) -> Bool {
        switch status {
        case 303: method != .head
        case 301, 302: method == .post
        default: false
        }
    }

    private static func reason(_ occasion: Occasion) -> String {
        switch occasion {
        case .retry: "it cannot be sent for another attempt"
        case .redirect(let status): "it cannot follow the redirect with \(status)"
        case .tokenRefresh: "it cannot be sent again with the refreshed token"
        }
    }
}
