// SPDX-License-Identifier: MIT

import Synchronization

/// Counts what the cache does, by API operation.
final class CacheTally: Sendable {
    private let state = Mutex<[String: CacheCounters]>([:])

    /// The counters by alias; those of calls without one are under the empty text.
    var counters: [String: CacheCounters] { state.withLock { $0 } }

    /// Counts what was done about a call.
    func count(_ explanation: CacheExplanation, api: String?) {
        guard explanation.answer != .notAsked else {
            return
        }
        state.withLock { $0[api ?? "", default: CacheCounters()].count(explanation) }
    }

    /// Begins anew.
    func reset() {
        state.withLock { $0 = [:] }
    }
}
