// SPDX-License-Identifier: MIT

import HTTPTypes

/// The possible effect of a call's unsafe requests, and the failure of its last exchange.
///
/// It is noted where requests leave, so that it stays true whatever interceptors and handlers make of the outcome.
struct RequestEffect: Sendable {
    /// How many unsafe requests had their effect, or may have had it.
    private(set) var unsafeCount = 0
    /// The failure of the last exchange; `nil` when it brought a response below 400, or when there was none.
    private(set) var lastFailure: RestClientError?

    /// Notes that a request leaves.
    mutating func begin(isUnsafe: Bool) {
        unsafeCount += isUnsafe ? 1 : 0
    }

    /// Notes how a request that left ended.
    mutating func end(_ result: Result<RawResponse, any Error>, isUnsafe: Bool) {
        if isUnsafe, Self.isNone(result) {
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

    /// Takes over what another call did on behalf of this one.
    mutating func adopt(_ other: RequestEffect) {
        unsafeCount += other.unsafeCount
        lastFailure = other.lastFailure
    }

    // MARK: - Rules

    /// Returns true if a request that ended like this had no effect: it did not reach the server, or the server refused
    /// it.
    static func isNone(_ result: Result<RawResponse, any Error>) -> Bool {
        switch result {
        case .success(let response): isRefusal(response)
        case .failure(let error): (error as? RestClientError).map(hasNotLeft) ?? false
        }
    }

    /// Returns true if the server says by its response that it did nothing.
    static func isRefusal(_ response: RawResponse) -> Bool {
        switch response.status.code {
        case 408: false
        case 400..<500: true
        case 503: response.headers[.retryAfter] != nil
        default: false
        }
    }

    /// Returns true if no request was sent when the error happened.
    static func hasNotLeft(_ error: RestClientError) -> Bool {
        error.code == .hostNotFound || error.code == .connectionFailed
    }
}
