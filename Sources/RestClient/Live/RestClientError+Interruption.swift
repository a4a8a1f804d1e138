// SPDX-License-Identifier: MIT

import RestEssentials

extension RestClientError {
    /// A Boolean value that is true if the error only interrupts a feed: one of the network, or a refusal.
    ///
    /// Any other error would only recur.
    package var isInterruption: Bool {
        switch code {
        case .connectionClosed, .connectionFailed, .hostNotFound, .malformedResponse, .timeout, .transportFailed: true
        default: isRefusal
        }
    }

    /// A Boolean value that is true if a guard of the server refused the call, so that nothing was sent.
    package var isRefusal: Bool { code == .circuitOpen || code == .rateLimitExceeded }

    /// The least time until a call may pass the guards of the server; zero if they did not refuse this one.
    ///
    /// A refusal costs no time, and does not make the waits of a feed longer. One that does not say when it ends, such
    /// as that of a breaker whose probes are under way, therefore counts as one of a second: a feed whose own wait is
    /// zero would otherwise ask without a pause.
    package var leastWait: Duration {
        guard isRefusal else {
            return .zero
        }
        guard let refusedFor, refusedFor > .zero else {
            return .seconds(1)
        }
        return min(refusedFor, .century)
    }
}
