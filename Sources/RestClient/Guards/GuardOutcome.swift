// SPDX-License-Identifier: MIT

import HTTPTypes

/// What the end of an attempt says of its server: pure.
enum GuardOutcome: Sendable, Hashable {
    /// The server works.
    case success
    /// The server fails, or cannot be reached.
    case failure
    /// The attempt says nothing of the server: it was cancelled, or failed on this side.
    case unknown

    /// Judges a response.
    init(_ status: HTTPResponse.Status, accepted: StatusSet) {
        self = status.code >= 500 && !accepted.contains(status) ? .failure : .success
    }

    /// Judges an error.
    init(_ error: any Error) {
        guard let error = error as? RestClientError else {
            self = .unknown
            return
        }
        switch error.code {
        case .hostNotFound, .connectionFailed, .connectionClosed, .tlsFailed, .timeout, .malformedResponse,
            .transportFailed:
            self = .failure
        case .responseTooLarge, .headerTooLarge, .tooManyRedirects, .redirectRefused, .redirectLoop:
            self = .success
        default:
            self = .unknown
        }
    }
}
