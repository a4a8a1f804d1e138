// SPDX-License-Identifier: MIT

/// How often the cache did what, for one API operation.
public struct CacheCounters: Sendable, Hashable {
    /// Calls that a fresh stored response ended.
    public internal(set) var fresh = 0

    /// Calls that a stored response ended though it was not fresh.
    public internal(set) var stale = 0

    /// Calls whose stored response the server confirmed.
    public internal(set) var confirmed = 0

    /// Calls that the server answered, by why the cache could not.
    public internal(set) var forwarded: [CacheMissReason: Int] = [:]

    /// Calls that nobody answered, as only the cache was to be asked.
    public internal(set) var refused = 0

    /// Answers that were stored or brought up to date.
    public internal(set) var stored = 0

    /// Calls that were answered together with an equal one.
    public internal(set) var shared = 0

    /// How many calls the cache had to do with.
    public var calls: Int { hits + confirmed + forwarded.values.reduce(0, +) + refused }

    /// How many calls needed no network.
    public var hits: Int { fresh + stale }

    /// The share of calls that needed no network, between 0 and 1; 0 when there were none.
    public var hitRate: Double { calls == 0 ? 0 : Double(hits) / Double(calls) }

    /// Counts what was done about one call.
    mutating func count(_ explanation: CacheExplanation) {
        switch explanation.answer {
        case .notAsked: break
        case .fresh: fresh += 1
        case .stale: stale += 1
        case .confirmed: confirmed += 1
        case .forwarded(let reason): forwarded[reason, default: 0] += 1
        case .refused: refused += 1
        }
        if explanation.storing == .stored || explanation.storing == .updated {
            stored += 1
        }
        if explanation.isShared {
            shared += 1
        }
    }
}
