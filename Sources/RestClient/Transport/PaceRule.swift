// SPDX-License-Identifier: MIT

import HTTPWire

/// Decides whether the server of an exchange is too slow: pure.
///
/// The time for the first byte counts from the end of the request, the time between two bytes from the latest of them.
struct PaceRule: Sendable, Hashable {
    enum Delay: Sendable, Hashable {
        case firstByte(Duration)
        case nextByte(Duration)
    }

    typealias Progress = WireProgress

    enum Decision: Sendable, Hashable {
        case expire(Delay)
        case look(at: UInt64)
        case none
    }

    /// The longest time from the end of the request to the head of the response.
    var firstByte: Duration?
    /// The longest time between two parts of the response.
    var nextByte: Duration?

    var isEmpty: Bool { firstByte == nil && nextByte == nil }

    /// Decides about an exchange at an instant in nanoseconds, on the clock of the progress.
    func decision(_ progress: Progress, at now: UInt64) -> Decision {
        switch progress {
        case .ended:
            return .none
        case .sending:
            // Sending has the time of the whole call; the limits begin to count when it is over.
            return [firstByte, nextByte].compactMap { $0 }.min().map { .look(at: Self.instant(now, plus: $0)) } ?? .none
        case .waiting(let sent):
            guard let firstByte else {
                return nextByte.map { .look(at: Self.instant(now, plus: $0)) } ?? .none
            }
            return decision(.firstByte(firstByte), Self.instant(sent, plus: firstByte), now)
        case .receiving(let latest):
            return nextByte.map { decision(.nextByte($0), Self.instant(latest, plus: $0), now) } ?? .none
        }
    }

    private func decision(_ delay: Delay, _ due: UInt64, _ now: UInt64) -> Decision {
        due <= now ? .expire(delay) : .look(at: due)
    }

    /// Returns a later instant; at least a millisecond later, so that a limit of zero does not keep a loop busy.
    private static func instant(_ instant: UInt64, plus duration: Duration) -> UInt64 {
        let nanoseconds = max(1_000_000, duration / .nanoseconds(1))
        guard nanoseconds < Double(UInt64.max / 4) else {
            return .max
        }
        let (sum, overflows) = instant.addingReportingOverflow(UInt64(nanoseconds))
        return overflows ? .max : sum
    }
}

extension PaceRule.Delay {
    var error: RestClientError {
        let message =
            switch self {
            case .firstByte(let limit):
                "the server did not begin to respond within \(limit); allow more with .timeouts(firstByte:)"
            case .nextByte(let limit):
                "the server sent no byte of the response for \(limit); allow more with .timeouts(idle:)"
            }
        return RestClientError(.timeout, message, underlying: SlowServer())
    }
}

/// The cause of a timeout that is not the call's own: the server was too slow for a limit of one exchange.
struct SlowServer: Error {}
