// SPDX-License-Identifier: MIT

/// The rules by which the result of an unsafe request says whether it had an effect.
enum RequestEffect {
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
