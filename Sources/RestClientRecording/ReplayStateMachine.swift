// SPDX-License-Identifier: MIT

/// Decides which recorded response a request gets; each response is used once.
struct ReplayStateMachine<Key: Hashable & Sendable>: Sendable {
    enum Decision: Equatable {
        case play(Int)
        case unknown
        /// The request was recorded `count` times, and all of these responses have been used.
        case exhausted(count: Int)
        /// In strict order, another request is next: the one at this index.
        case outOfOrder(expected: Int)
    }

    private let keys: [Key]
    private let isStrict: Bool
    private var isPlayed: [Bool]
    /// The remaining indices of each key, the next one last.
    private var left: [Key: [Int]]
    private let counts: [Key: Int]
    /// In strict order, the first index that has not been played.
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

    var unused: [Int] {
        isPlayed.indices.filter { !isPlayed[$0] }
    }

    /// The indices of responses that follow another one to the same request, and are used only if it is repeated.
    var shadowed: [Int] {
        var seen: Set<Key> = []
        return keys.indices.filter { !seen.insert(keys[$0]).inserted }
    }
}
