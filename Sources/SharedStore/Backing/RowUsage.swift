// SPDX-License-Identifier: MIT

/// What a collection holds.
package struct RowUsage: Sendable, Equatable {
    package var rows: Int
    package var bytes: Int
    /// The collection's last commit.
    package var version: UInt64
    /// Whether this very backing made the last commit; false when another process (or connection) did.
    package var isLastWriterHere: Bool
}
