// SPDX-License-Identifier: MIT

import HTTPTypes
import JobGraphs
import RestEssentials

extension AttemptFailure {
    /// Creates the failure of a call from the effects of its requests; the cause is the error before handlers replaced
    /// it.
    init(_ error: any Error, cause: (any Error)? = nil, of call: CallContext?, now: Date) {
        let facts = call?.facts
        // A user's error has no details of its own; the original failure does.
        let known = error as? RestClientError ?? cause as? RestClientError ?? facts?.request.lastFailure
        let response = known?.response ?? facts?.request.lastFailure?.response
        self.init(
            error,
            isTransient: known.map(Self.isTransient) ?? true,
            repetition: Repetition(mayHaveHadEffect: (facts?.unsafeCount ?? 0) > 0),
            requestedDelay: response.flatMap { $0.headers.retryDelay(at: now) }
        )
    }

    /// Creates the failure of work from its error alone.
    init(of error: RestClientError, at now: Date) {
        self.init(
            error,
            isTransient: Self.isTransient(error),
            repetition: Repetition(mayHaveHadEffect: Self.mayHaveHadEffect(error)),
            requestedDelay: error.response.flatMap { $0.headers.retryDelay(at: now) }
        )
    }

    private static func isTransient(_ error: RestClientError) -> Bool {
        switch error.code {
        case .hostNotFound, .connectionFailed, .connectionClosed, .transportFailed, .timeout, .malformedResponse:
            return true
        case .proxyFailed:
            return error.mayPass
        case .unacceptableStatus:
            return error.status.map { transientStatuses.contains($0.code) } ?? false
        default:
            return false
        }
    }

    private static let transientStatuses: Set<Int> = [408, 425, 429, 500, 502, 503, 504]

    /// Returns true if the request behind an error may have had an effect: as its call counted, or by its method and
    /// its result if the call is not known.
    private static func mayHaveHadEffect(_ error: RestClientError) -> Bool {
        if let count = error.unsafeCount {
            return count > 0
        }
        guard let method = error.request?.method, CallOptions().isUnsafe(method) else {
            return false
        }
        guard let response = error.response else {
            return !RequestEffect.hasNotLeft(error) && error.attempts > 0
        }
        return !RequestEffect.isRefusal(response)
    }
}
