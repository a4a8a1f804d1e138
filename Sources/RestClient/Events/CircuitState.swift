// SPDX-License-Identifier: MIT

/// The state of a circuit breaker.
public enum CircuitState: String, Sendable, Hashable, CaseIterable {
    /// Calls pass and are counted.
    case closed
    /// Calls are refused.
    case open
    /// A few calls pass as probes, and all others are refused.
    case halfOpen
    /// Calls are refused until ``ServerGuards/release(_:)``.
    case isolated
}
