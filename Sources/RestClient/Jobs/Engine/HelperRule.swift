// SPDX-License-Identifier: MIT

/// Whether nodes that are ready are worth a helper: pure.
///
/// To wake a thread for them takes some microseconds. After several nodes in a row that took less, it is not worth it for a
/// few. Whoever follows that advice must have somebody look after the nodes: the next one may take long.
struct HelperRule {
    /// A node that takes less is short.
    static let short = Duration.microseconds(2)
    /// How many short ones in a row are expected to go on like that.
    static let patience = 8
    /// So many nodes are worth a helper even if each is short.
    static let backlog = 16

    private var shortInARow = 0

    /// Notes how long a node took.
    mutating func note(_ duration: Duration) {
        guard duration < Self.short else {
            shortInARow = 0
            return
        }
        if shortInARow < Self.patience {
            shortInARow += 1
        }
    }

    /// Whether so many nodes that are ready are worth a helper.
    func isWorthwhile(for ready: Int) -> Bool {
        shortInARow < Self.patience ? ready > 0 : ready >= Self.backlog
    }
}
