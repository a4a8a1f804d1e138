// SPDX-License-Identifier: MIT

/// The time after which a safe request is sent a second time, so that the faster response wins.
///
/// ```swift
/// manager.apis[.search] = API(.get, "/search").hedging(.after(.milliseconds(200)))
/// manager.apis[.prices] = API(.get, "/prices").hedging(.percentile(0.95))
/// ```
///
/// Only requests with safe methods and without a body are hedged. The first response that is not a failure of the
/// server wins, and the other request is cancelled. Each request passes the limits of its server and holds a
/// worker slot; one that still waits for its turn is not hedged. No more hedges are sent than ``budget`` allows.
public struct Hedging: Sendable, Hashable {
    enum Delay: Sendable, Hashable {
        case fixed(Duration)
        case percentile(Double)
    }

    let delay: Delay

    /// The number of hedges that are allowed for each call; 0.1 by default.
    ///
    /// It keeps a slow server from receiving twice as many requests. One hedge in ten seconds is allowed besides.
    public var budget = 0.1

    private init(delay: Delay) {
        self.delay = delay
    }

    /// Sends another request after a time.
    ///
    /// - Parameter delay: The time since the first request was sent.
    /// - Returns: The rule.
    public static func after(_ delay: Duration) -> Hedging {
        Hedging(delay: .fixed(max(.zero, delay)))
    }

    /// Sends another request after the time in which a part of the latest responses arrived.
    ///
    /// No request is hedged before twenty responses have arrived.
    ///
    /// - Parameter part: The part, as in 0.95 for the slowest twentieth to be hedged.
    /// - Returns: The rule.
    public static func percentile(_ part: Double) -> Hedging {
        // In this order of arguments, what is not a number counts as the lowest part.
        Hedging(delay: .percentile(min(max(0.5, part), 0.999)))
    }

    func delay(after latencies: [Duration]) -> Duration? {
        switch delay {
        case .fixed(let delay):
            return delay
        case .percentile(let part):
            guard latencies.count >= Self.leastCount else {
                return nil
            }
            let sorted = latencies.sorted()
            return sorted[min(sorted.count - 1, Int((Double(sorted.count) * part).rounded(.down)))]
        }
    }

    var room: RetryBudget {
        var room = RetryBudget(minimumPerSecond: 0.1)
        room.ratio = budget
        return room
    }

    /// The number of responses that a percentile needs.
    static let leastCount = 20
    /// The number of responses that are remembered.
    static let memory = 200
}

extension Hedging: CustomStringConvertible {
    /// The rule in words.
    public var description: String {
        switch delay {
        case .fixed(let delay): "after \(delay)"
        case .percentile(let part): "after the time of \(part * 100) % of the responses"
        }
    }
}

extension CallConfigurable {
    /// Sends a safe request a second time when the first one takes long, and uses the faster response.
    ///
    /// No request is hedged when no level sets it.
    ///
    /// - Parameter hedging: The time after which the second request is sent.
    /// - Returns: A changed copy.
    public consuming func hedging(_ hedging: Hedging) -> Self {
        option(.hedging, hedging)
    }
}

extension CallOptionKey<Hedging> {
    static var hedging: Self { Self("hedging", comparison: .byValue, needs: .hedging) { $0.description } }
}
