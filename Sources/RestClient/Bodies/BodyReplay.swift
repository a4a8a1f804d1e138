// SPDX-License-Identifier: MIT

import HTTPTypes

/// Decides whether and how the body is sent when a request is repeated: a pure function.
///
/// Retry, redirects and token refresh all use it, so that they agree.
enum BodyReplay {
    /// The reason why a request is repeated.
    enum Occasion: Sendable, Hashable {
        /// The attempt failed.
        case retry
        /// The server redirects with a status.
        case redirect(Int)
        /// The token was refreshed after a 401.
        case tokenRefresh
    }

    /// The extent to which a body has been read.
    enum Use: Sendable, Hashable {
        /// It was not read: no connection was made, or the server responded to `Expect: 100-continue` immediately.
        case untouched
        /// It was read in part or completely.
        case begun
    }

    /// The decision about a repeated request.
    enum Decision: Sendable {
        /// The request is sent with its body.
        case send(HTTPRequest.Method)
        /// The request is sent without a body, and without the fields that describe one.
        case sendWithoutBody(HTTPRequest.Method)
        /// The request is not repeated: the result of the last attempt is final; the error gives the reason.
        case stop(RestClientError)
    }

    /// Returns the decision about a request.
    ///
    /// - Parameters:
    ///   - occasion: The reason why the request is repeated.
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
                        + "pass a closure that opens the stream, a file or bytes instead"
                )
            )
        }
        return .send(method)
    }

    /// True if a redirect replaces the method with GET (RFC 9110, sections 15.4.2 to 15.4.4).
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
