// SPDX-License-Identifier: MIT

/// The response to a read that refuses to block for long.
package enum SmallRow: Sendable, Equatable {
    case row(Row)
    case absent
    /// There is a row, but its value is larger than the limit given.
    case large
}
