// SPDX-License-Identifier: MIT

import HTTPTypes

/// The judgement of a server by the end of an attempt: pure.
enum GuardOutcome: Sendable, Hashable {
    case success
    /// The server fails, or cannot be reached.
    case failure
    /// The attempt says nothing of the server: it was cancelled, or failed on this side.
    case unknown

    init(_ status: HTTPResponse.Status, accepted: StatusSet) {
        self = status.code >= 500 && !accepted.contains(status) ? .failure : .success
    }

    /// Judges the error of a call, which says nothing if the call was cancelled.
    init(_ error: any Error, of call: CallContext) {
        self = call.isCancelled ? .unknown : GuardOutcome(error)
    }

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
