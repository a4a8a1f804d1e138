// SPDX-License-Identifier: MIT

import Synchronization

/// The times of the latest responses of an API, and the number of its hedges.
final class HedgeMemory: Sendable {
    private struct State {
        var latencies: [Duration] = []
        var next = 0
        var window = SlidingWindow()
        /// The latest delay, with the rule that it is for and the number of responses since.
        var known: (hedging: Hedging, delay: Duration?, age: Int)?

        /// Returns when a call is hedged; a percentile is computed again after some responses.
        mutating func delay(_ hedging: Hedging) -> Duration? {
            if let known, known.hedging == hedging, known.age < HedgeMemory.refresh {
                return known.delay
            }
            let delay = hedging.delay(after: latencies)
            known = (hedging, delay, 0)
            return delay
        }
    }

    private static let window = Duration.seconds(10)
    /// The number of responses after which a percentile is computed again, because sorting takes long.
    private static let refresh = 16

    private let state = Mutex(State())

    /// Counts a call; returns when it is hedged, or `nil` if it is not.
    func delay(_ hedging: Hedging, at now: Duration) -> Duration? {
        state.withLock { state in
            state.window.count(at: now, in: Self.window) { $0.calls += 1 }
            return state.delay(hedging)
        }
    }

    /// Takes the room for one hedge; returns false if there is none.
    func take(_ hedging: Hedging, at now: Duration) -> Bool {
        state.withLock { state in
            let counts = state.window.counts(at: now, in: Self.window)
            guard Double(counts.retries + 1) <= hedging.budget * Double(counts.calls) + 1 else {
                return false
            }
            state.window.count(at: now, in: Self.window) { $0.retries += 1 }
            return true
        }
    }

    func learn(_ latency: Duration) {
        state.withLock { state in
            if state.latencies.count < Hedging.memory {
                state.latencies.append(latency)
            } else {
                state.latencies[state.next] = latency
            }
            state.next = (state.next + 1) % Hedging.memory
            // Without enough responses there was no delay: look again at once.
            let step = state.known?.delay == nil ? Self.refresh : 1
            state.known?.age += step
        }
    }
}
