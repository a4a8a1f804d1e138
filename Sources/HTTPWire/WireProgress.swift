// SPDX-License-Identifier: MIT

/// The progress of an exchange, with instants on the clock of ``WireTimes``.
package enum WireProgress: Sendable, Hashable {
    /// The request has not been sent to its end.
    case sending
    /// The request was sent at an instant, and nothing of the response has come.
    case waiting(since: UInt64)
    /// The latest bytes of the response came at an instant.
    case receiving(since: UInt64)
    /// The exchange has ended.
    case ended

    /// Takes the end of the request, unless the response has begun.
    mutating func sent(at instant: UInt64) {
        if case .sending = self {
            self = .waiting(since: instant)
        }
    }

    /// Takes bytes of the response.
    mutating func received(at instant: UInt64) {
        if self != .ended {
            self = .receiving(since: instant)
        }
    }
}
