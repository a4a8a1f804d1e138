// SPDX-License-Identifier: MIT

/// How many work for each server that has a limit: pure, without lock, clock or task.
///
/// Work for the other servers, and work for none, is in the lane ``shared``, where nothing is counted. A server that once had a
/// limit keeps its lane.
struct ServerLanes {
    /// The lane of all servers without a limit.
    static let shared = 0

    private struct Lane {
        var limit = 0
        var running = 0
    }

    private var lanes = [Lane()]
    private var indices: [ServerAlias: Int] = [:]

    /// The lane in which a demand counts.
    func lane(of demand: SlotDemand) -> Int {
        guard !indices.isEmpty, let server = demand.server else {
            return Self.shared
        }
        return indices[server] ?? Self.shared
    }

    /// Whether one more may work there.
    func hasRoom(in lane: Int) -> Bool {
        lane == Self.shared || lanes[lane].limit == 0 || lanes[lane].running < lanes[lane].limit
    }

    /// Counts one more who works there.
    mutating func enter(_ lane: Int) {
        if lane != Self.shared {
            lanes[lane].running += 1
        }
    }

    /// Counts one fewer who works there.
    mutating func leave(_ lane: Int) {
        if lane != Self.shared {
            lanes[lane].running -= 1
        }
    }

    /// The limits that are set.
    var limits: [ServerAlias: Int] {
        indices.mapValues { lanes[$0].limit }.filter { $0.value > 0 }
    }

    /// The limit of a server; zero when it has none.
    func limit(of server: ServerAlias) -> Int {
        lanes[indices[server] ?? Self.shared].limit
    }

    /// Sets the limit of a server; zero or less removes it.
    ///
    /// - Returns: The server's lane if it is a new one.
    mutating func setLimit(_ limit: Int, of server: ServerAlias) -> Int? {
        if let lane = indices[server] {
            lanes[lane].limit = max(0, limit)
            return nil
        }
        guard limit > 0 else {
            return nil
        }
        lanes.append(Lane(limit: limit))
        indices[server] = lanes.count - 1
        return lanes.count - 1
    }
}
