// SPDX-License-Identifier: MIT

/// Counts the running work of each key that has a limit: a pure value.
///
/// Work without a key, or with a key without a limit, is in the lane ``shared``, which does not count. A key that once
/// had a limit keeps its lane.
struct LimitLanes {
    static let shared = 0

    private struct Lane {
        var limit = 0
        var running = 0
    }

    private var lanes = [Lane()]
    private var indices: [String: Int] = [:]

    func lane(of demand: SlotDemand) -> Int {
        guard !indices.isEmpty, let key = demand.limitKey else {
            return Self.shared
        }
        return indices[key] ?? Self.shared
    }

    func hasRoom(in lane: Int) -> Bool {
        lane == Self.shared || lanes[lane].limit == 0 || lanes[lane].running < lanes[lane].limit
    }

    mutating func enter(_ lane: Int) {
        if lane != Self.shared {
            lanes[lane].running += 1
        }
    }

    mutating func leave(_ lane: Int) {
        if lane != Self.shared {
            lanes[lane].running -= 1
        }
    }

    var limits: [String: Int] {
        indices.mapValues { lanes[$0].limit }.filter { $0.value > 0 }
    }

    /// Returns the limit of a key; zero when it has none.
    func limit(of key: String) -> Int {
        lanes[indices[key] ?? Self.shared].limit
    }

    /// Sets the limit of a key, or removes it if it is zero or less; returns the key's lane if that is new.
    mutating func setLimit(_ limit: Int, of key: String) -> Int? {
        if let lane = indices[key] {
            lanes[lane].limit = max(0, limit)
            return nil
        }
        guard limit > 0 else {
            return nil
        }
        lanes.append(Lane(limit: limit))
        indices[key] = lanes.count - 1
        return lanes.count - 1
    }
}
