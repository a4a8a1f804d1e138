// SPDX-License-Identifier: MIT

/// The result of a read that refuses to block for long.
package enum SmallRow: Sendable, Equatable {
    case row(Row)
    case absent
    /// The row exists, but its value is larger than the limit.
    case large
}
