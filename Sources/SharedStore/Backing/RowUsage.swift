// SPDX-License-Identifier: MIT

/// The size and state of a collection.
package struct RowUsage: Sendable, Equatable {
    package var rows: Int
    package var bytes: Int
    /// The collection's last commit.
    package var version: UInt64
    /// A Boolean value that indicates whether this backing made the last commit, rather than another process or
    /// connection.
    package var isLastWriterHere: Bool

    /// Returns whether the size is within limits.
    func keeps(rows limit: Int, bytes byteLimit: Int) -> Bool {
        rows <= limit && bytes <= byteLimit
    }
}
