// SPDX-License-Identifier: MIT

struct Migrator {
    /// The schema version of this release (`PRAGMA user_version`).
    static let currentVersion: Int64 = 1

    let kind: DatabaseKind

    /// Throws `newerSchema`, `foreignDatabase`, `notADatabase`, or an error of SQLite.
    func migrate(_ connection: Connection) throws(StoreError) {
        // Usually the schema is current and no write lock is needed.
        if try check(connection) { return }
        try connection.execute("BEGIN IMMEDIATE")
        do throws(StoreError) {
            if try !check(connection) {
                let version = try connection.integer("PRAGMA user_version") ?? 0
                for (index, migration) in Self.migrations.enumerated() where index >= version {
                    for statement in migration(kind) { try connection.execute(statement) }
                }
                try connection.execute("PRAGMA application_id = \(kind.applicationID)")
                try connection.execute("PRAGMA user_version = \(Self.currentVersion)")
            }
            try connection.execute("COMMIT")
        } catch {
            connection.rollBack()
            throw error
        }
    }

    @discardableResult
    func check(_ connection: Connection) throws(StoreError) -> Bool {
        // One snapshot for all queries, because another process may be creating the schema right now.
        guard !connection.isInTransaction else {
            return try checkSnapshot(connection)
        }
        try connection.execute("BEGIN")
        defer { connection.rollBack() }
        return try checkSnapshot(connection)
    }

    private func checkSnapshot(_ connection: Connection) throws(StoreError) -> Bool {
        let file = connection.file
        let version = try connection.integer("PRAGMA user_version") ?? 0
        let application = try connection.integer("PRAGMA application_id") ?? 0
        let tables = try connection.integer("SELECT count(*) FROM sqlite_schema") ?? 0
        if application == 0, version == 0, tables == 0 { return false }
        guard application == Int64(kind.applicationID) else {
            if let other = DatabaseKind.known.first(where: { Int64($0.applicationID) == application }) {
                throw StoreError(.foreignDatabase, "the file contains a \(other.name), not a \(kind.name)", file: file)
            }
            throw StoreError(
                .foreignDatabase,
                "the file is a database of another program",
                file: file,
                sqliteCode: 0
            )
        }
        guard version <= Self.currentVersion else {
            throw StoreError(
                .newerSchema,
                "the file has schema version \(version), this release knows up to \(Self.currentVersion)",
                file: file
            )
        }
        return version == Self.currentVersion
    }

    /// The statements that lead from schema version n to n + 1.
    private static let migrations: [@Sendable (DatabaseKind) -> [String]] = [
        { kind in
            [
                """
                CREATE TABLE collections (
                    name TEXT PRIMARY KEY NOT NULL, count INTEGER NOT NULL, bytes INTEGER NOT NULL,
                    version INTEGER NOT NULL, writer INTEGER NOT NULL)
                """,
                """
                CREATE TABLE leases (
                    name TEXT PRIMARY KEY NOT NULL, owner TEXT NOT NULL, expires_at REAL NOT NULL)
                """,
            ] + kind.collections.flatMap { CollectionSQL($0).creation }
        }
    ]
}

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
