// SPDX-License-Identifier: MIT

/// The purpose of a database file, written into its header, so that one kind is never mistaken for another.
package struct DatabaseKind: Hashable, Sendable {
    /// The number in the file's header (`PRAGMA application_id`).
    let applicationID: Int32
    let collections: [RowCollection]
    let name: String

    private init(_ name: String, applicationID: Int32, collections: [RowCollection]) {
        self.name = name
        self.applicationID = applicationID
        self.collections = collections
    }

    /// The file of an ``ExpiringCache``: "SStC".
    package static let cache = DatabaseKind("cache", applicationID: 0x5353_7443, collections: [.cache])
    /// The file of a ``SharedData``: "SStD".
    package static let shared = DatabaseKind("shared data", applicationID: 0x5353_7444, collections: [.shared])
    /// The file of a run journal: "SStJ".
    package static let journal = DatabaseKind("journal", applicationID: 0x5353_744A, collections: [.journal])
    /// A file for several purposes, and for the contract suite: "SStA".
    package static let all = DatabaseKind(
        "store",
        applicationID: 0x5353_7441,
        collections: [.cache, .shared, .journal]
    )

    static let known: [DatabaseKind] = [.cache, .shared, .journal, .all]
}
