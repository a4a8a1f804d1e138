// SPDX-License-Identifier: MIT

/// The result of a bulk removal.
package struct RowRemoval: Sendable, Equatable {
    package var rows: Int
    package var bytes: Int
    /// The keys of the rows, in collections that record their changes.
    package var keys: [String] = []
    package var usage: RowUsage

    /// Adds the result of a later transaction.
    mutating func add(_ next: RowRemoval) {
        rows += next.rows
        bytes += next.bytes
        keys += next.keys
        usage = next.usage
    }
}
