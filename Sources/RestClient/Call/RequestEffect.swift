// SPDX-License-Identifier: MIT

import HTTPTypes

/// The possible effect of a call's unsafe requests, and the failure of its last exchange.
///
/// It is recorded where requests are sent, so it does not depend on how interceptors and handlers change the outcome.
struct RequestEffect: Sendable {
    /// The number of unsafe requests that had an effect, or may have had one.
    private(set) var unsafeCount = 0
    /// The failure of the last exchange; `nil` if its status was below 400, or if there was no exchange.
    private(set) var lastFailure: RestClientError?

    /// Records that a request is sent.
    mutating func begin(isUnsafe: Bool) {
        unsafeCount += isUnsafe ? 1 : 0
    }

    /// Records the end of a request.
    ///
    /// - Parameters:
    ///   - result: The result of its last exchange.
    ///   - hadNoEffect: True if the request is unsafe and had no effect.
    mutating func end(_ result: Result<RawResponse, any Error>, hadNoEffect: Bool) {
        if hadNoEffect {
            unsafeCount -= 1
        }
        switch result {
        case .success(let response):
            lastFailure =
                response.status.code < 400 ? nil : RestClientError(.unacceptableStatus, "", response: response)
        case .failure(let error):
            lastFailure = error as? RestClientError
        }
    }

    /// Adds the effect of another call that was sent for this one.
    mutating func adopt(_ other: RequestEffect) {
        unsafeCount += other.unsafeCount
        lastFailure = other.lastFailure
    }

    // MARK: - Rules

    /// Returns true if a request with the given result had no effect: it did not reach the server, or the server
    /// rejected it.
    ///
    /// The result must be that of the request itself, and not of a GET to which it was redirected; see
    /// ``CallFacts/hadNoEffect(_:)``.
    static func isNone(_ result: Result<RawResponse, any Error>) -> Bool {
        switch result {
        case .success(let response): isRefusal(response)
        case .failure(let error): (error as? RestClientError).map(hasNotLeft) ?? false
        }
    }

    /// Returns true if the status says that the server did not act on the request.
    static func isRefusal(_ response: RawResponse) -> Bool {
        switch response.status.code {
        case 408: false
        case 400..<500: true
        case 503: response.headers[.retryAfter] != nil
        default: false
        }
    }

    /// Returns true if the error occurred before the request was sent.
    static func hasNotLeft(_ error: RestClientError) -> Bool {
        error.isUnsent ?? (error.code == .hostNotFound || error.code == .connectionFailed)
    }
}
