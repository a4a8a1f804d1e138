// SPDX-License-Identifier: MIT

import RestEssentials

/// A limit that follows the latency of a server; does no I/O.
///
/// The quotient of the usual latency and the latest one is the gradient: below one the server has begun to queue, and
/// the limit shrinks with it; otherwise it grows by its square root. A limit that is not used does not grow.
struct AdaptiveLimit: Sendable {
    private static let tolerance = 1.5
    private static let smoothing = 0.2
    private static let memory = 0.05
    private static let backOff = 0.9

    private var estimate: Double?
    private var usual: Double?

    func value(_ limit: ConcurrencyLimit) -> Int {
        switch limit.mode {
        case .fixed(let count): count
        case .adaptive(let initial, let range):
            min(max(Int(estimate ?? Double(initial)), range.lowerBound), range.upperBound)
        }
    }

    /// Learns from the end of a call; `latency` is `nil` if the server failed or was too slow to respond, and the call
    /// is one of those `running`.
    mutating func learn(_ latency: Duration?, running: Int, _ limit: ConcurrencyLimit) {
        guard case .adaptive(let initial, let range) = limit.mode else {
            return
        }
        let current = estimate ?? Double(initial)
        guard let latency else {
            estimate = max(Double(range.lowerBound), current * Self.backOff)
            return
        }
        let seconds = max(latency.timeInterval, 1e-6)
        let before = usual ?? seconds
        // A server that has recovered is soon believed; one that has become slow is only slowly taken for usual.
        usual = seconds < before ? before * 0.7 + seconds * 0.3 : before * (1 - Self.memory) + seconds * Self.memory
        guard Double(running) >= current / 2 else {
            return
        }
        let gradient = max(0.5, min(1, Self.tolerance * before / seconds))
        let target = current * gradient + current.squareRoot()
        let next = current * (1 - Self.smoothing) + target * Self.smoothing
        estimate = min(max(next, Double(range.lowerBound)), Double(range.upperBound))
    }
}
