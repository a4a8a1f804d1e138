// SPDX-License-Identifier: MIT

/// The result of a transaction.
package enum RowCommit: Sendable, Equatable {
    /// Everything was written, as this version. `existed` tells for each step whether the row existed before.
    case committed(version: UInt64, existed: [Bool], usage: RowUsage)
    /// Nothing was written, because the conditions of these steps did not hold.
    case conflict(steps: [Int])
}
