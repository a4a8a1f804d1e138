// SPDX-License-Identifier: MIT

/// Looks after nodes that are ready, and for which no helper was woken because those before were short: pure.
///
/// Whoever is out looks from time to time. If nothing has moved since the time before, the drainers are busy with something
/// long, and the nodes need a helper after all.
struct Lookout {
    enum Sight: Equatable {
        /// Nothing is ready; the one who looked goes home.
        case clear
        /// Somebody begins what is ready.
        case moving
        /// Nobody does.
        case stuck
    }

    /// How long a node waits at most for a processor that is idle, give or take as much.
    static let interval = Duration.microseconds(500)

    private var isOut = false
    /// How many nodes have ended.
    private var ends: UInt64 = 0
    private var seen: UInt64 = 0

    /// Whether somebody is to go out: nobody is yet.
    mutating func begin() -> Bool {
        guard !isOut else {
            return false
        }
        isOut = true
        seen = ends
        return true
    }

    /// Notes that a node has ended.
    mutating func noteEnd() {
        ends &+= 1
    }

    /// Looks.
    ///
    /// - Parameter ready: How many nodes could begin now.
    /// - Returns: How it stands.
    mutating func look(ready: Int) -> Sight {
        guard ready > 0 else {
            isOut = false
            return .clear
        }
        defer { seen = ends }
        return ends == seen ? .stuck : .moving
    }
}
