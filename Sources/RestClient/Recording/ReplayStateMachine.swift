// SPDX-License-Identifier: MIT

/// Decides which recorded response a request gets.
///
/// Each response is given once. It knows requests by their keys only.
struct ReplayStateMachine<Key: Hashable & Sendable>: Sendable {
    enum Decision: Equatable {
        /// The response at that place.
        case play(Int)
        /// Nothing of the kind was recorded.
        case unknown
        /// It was recorded so many times, and all of these responses are given.
        case exhausted(count: Int)
        /// In strict order another request is next, the one at that place.
        case outOfOrder(expected: Int)
    }

    private let keys: [Key]
    private let isStrict: Bool
    private var isPlayed: [Bool]
    /// The places of each key that are left, the next one last.
    private var left: [Key: [Int]]
    private let counts: [Key: Int]
    /// The first place that is not played, in strict order.
    private var next = 0

    init(_ keys: [Key], isStrict: Bool) {
        self.keys = keys
        self.isStrict = isStrict
        isPlayed = Array(repeating: false, count: keys.count)
        let places = Dictionary(grouping: keys.indices) { keys[$0] }
        counts = places.mapValues(\.count)
        left = places.mapValues { $0.reversed() }
    }

    /// Chooses the response to a request.
    mutating func request(_ key: Key) -> Decision {
        guard let count = counts[key] else {
            return .unknown
        }
        guard let place = left[key]?.last else {
            return .exhausted(count: count)
        }
        if isStrict {
            guard place == next else {
                return .outOfOrder(expected: next)
            }
            next += 1
        }
        left[key]?.removeLast()
        isPlayed[place] = true
        return .play(place)
    }

    /// The places of the answers that were not given.
    var unused: [Int] {
        isPlayed.indices.filter { !isPlayed[$0] }
    }

    /// The places of answers that stand behind another one to the same request: they are given only when it comes again.
    var shadowed: [Int] {
        var seen: Set<Key> = []
        return keys.indices.filter { !seen.insert(keys[$0]).inserted }
    }
}
