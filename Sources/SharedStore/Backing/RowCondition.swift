// SPDX-License-Identifier: MIT

/// What must hold for a row before a transaction touches anything.
package enum RowCondition: Sendable, Equatable {
    /// Nothing.
    case any
    /// The row does not exist.
    case absent
    /// The row is still the one that this commit wrote.
    case version(UInt64)
}
