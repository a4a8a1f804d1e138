// SPDX-License-Identifier: MIT

/// A named set of rows in a backing; the cache, the shared data and the journal use one each.
package struct RowCollection: Hashable, Sendable {
    /// The name: lower-case ASCII letters only, so that an engine can use it in a table's name.
    package let name: String

    /// A Boolean value that indicates whether each change is written to the change feed.
    ///
    /// This costs an additional row for each change. A cache does not need it, because its rows are not observed
    /// individually.
    package let recordsChanges: Bool

    package init(name: String, recordsChanges: Bool) {
        self.name = String(name.unicodeScalars.filter { ("a"..."z").contains($0) })
        self.recordsChanges = recordsChanges
    }

    /// The rows of an ``ExpiringCache``.
    package static let cache = RowCollection(name: "cache", recordsChanges: false)
    /// The rows of a ``SharedData``.
    package static let shared = RowCollection(name: "shared", recordsChanges: true)
    /// The rows of a run journal.
    package static let journal = RowCollection(name: "journal", recordsChanges: true)
}
