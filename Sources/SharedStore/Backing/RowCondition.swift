// SPDX-License-Identifier: MIT

/// The condition of a row under which a transaction is applied.
package enum RowCondition: Sendable, Equatable {
    /// No condition.
    case any
    /// The row does not exist.
    case absent
    /// The row was last written by this commit.
    case version(UInt64)
}
