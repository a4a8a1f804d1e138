// SPDX-License-Identifier: MIT

/// How a transaction ended.
package enum RowCommit: Sendable, Equatable {
    /// Everything was written, as this version; for each step whether the row existed before.
    case committed(version: UInt64, existed: [Bool], usage: RowUsage)
    /// A condition did not hold and nothing was written; the indices of the steps whose condition failed.
    case conflict(steps: [Int])
}
