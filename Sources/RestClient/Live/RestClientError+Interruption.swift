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
    package var leastWait: Duration {
        isRefusal ? min(max(.zero, refusedFor ?? .zero), .century) : .zero
    }
}
