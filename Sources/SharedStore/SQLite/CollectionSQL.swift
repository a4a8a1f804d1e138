// SPDX-License-Identifier: MIT

/// The statements of one collection, created once.
///
/// The rows are in a rowid table: with values of about 1 KB a table WITHOUT ROWID spills every row to an overflow page.
/// The last use, which changes on every read, and the columns that a sweep scans (expiry, size) are in a narrow second
/// table, so that neither rewrites nor reads values. Values above ``inlineLimit`` are in a third table, for
/// incremental I/O.
///
/// The narrow table is only a hint: a store that replaces a row does not update it, because that would write twice as
/// many pages. The last use and the expiry in it are never later than the true ones, which are the later of `used_at`
/// and `stored_at`, and the row's own `expires_at`. The code that finds an outdated entry corrects it.
///
/// It is a class because it is passed along with every read and write: a copy would retain each text.
final class CollectionSQL: Sendable {
    static let inlineLimit = 8 * 1024

    /// Returns the size of a row's value in SQL, which is within its limits even if the row is damaged, so that no sum
    /// overflows.
    private static func valueSize(_ column: String) -> String {
        "max(0, min(coalesce(\(column), 0), \([RowStep].valueLimit)))"
    }

    let collection: RowCollection
    let creation: [String]

    let valuesTable: String

    let read: Query
    let find: Query
    let describe: Query
    let sizeOfRow: Query
    let insert: Query
    let update: Query
    let refresh: Query
    let delete: Query

    let insertUse: Query
    let updateUse: Query
    let updateExpiry: Query
    let touch: Query
    let deleteUse: Query
    /// Make the uses those of the rows, after damage.
    let repairUses: [Query]
    let count: Query
    let leastRecentlyUsed: Query
    let expired: Query

    let insertTag: Query
    let deleteTag: Query

    let insertValue: Query
    let deleteValue: Query

    let list: Query
    let listTagged: Query
    let prefixed: Query
    let tagged: Query
    let all: Query
    let allKeys: Query
    let clear: [Query]

    let head: Query
    let updateHead: Query

    let appendFeed: Query
    let trimFeed: Query
    let readFeed: Query
    let feedBounds: Query

    init(_ collection: RowCollection) {
        self.collection = collection
        let name = collection.name
        let rows = "rows_\(name)"
        let uses = "uses_\(name)"
        let tags = "tags_\(name)"
        let values = "values_\(name)"
        let feed = "feed_\(name)"
        valuesTable = values

        creation = [
            """
            CREATE TABLE \(rows) (
                id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, version INTEGER NOT NULL, stored_at REAL NOT NULL,
                expires_at REAL, digest INTEGER NOT NULL, size INTEGER NOT NULL, tags BLOB, metadata BLOB NOT NULL,
                value BLOB)
            """,
            """
            CREATE TABLE \(uses) (
                id INTEGER PRIMARY KEY, used_at REAL NOT NULL, expires_at REAL, size INTEGER NOT NULL)
            """,
            "CREATE TABLE \(tags) (tag TEXT NOT NULL, id INTEGER NOT NULL, PRIMARY KEY (tag, id)) WITHOUT ROWID",
            "CREATE TABLE \(values) (id INTEGER PRIMARY KEY, value BLOB NOT NULL)",
            """
            CREATE TABLE \(feed) (
                position INTEGER PRIMARY KEY, key TEXT NOT NULL, kind INTEGER NOT NULL, version INTEGER NOT NULL,
                writer INTEGER NOT NULL)
            """,
            "INSERT INTO collections VALUES ('\(name)', 0, 0, 0, 0)",
        ]

        read = Query(
            "SELECT id, version, stored_at, expires_at, digest, size, tags, metadata, value FROM \(rows) WHERE key = ?1"
        )
        find = Query(
            """
            SELECT id, version, \(Self.valueSize("size")), tags, digest, value IS NULL, length(metadata), expires_at
            FROM \(rows) WHERE key = ?1
            """
        )
        let size = "length(CAST(r.key AS BLOB)) + length(r.metadata) + \(Self.valueSize("r.size"))"
        // A damaged file may have rows without a use.
        let lastUse = "max(coalesce(u.used_at, r.stored_at), r.stored_at)"
        describe = Query(
            """
            SELECT r.key, r.tags, r.value IS NULL, \(size), \(lastUse), r.expires_at
            FROM \(rows) AS r LEFT JOIN \(uses) AS u ON u.id = r.id WHERE r.id = ?1
            """
        )
        sizeOfRow = Query("SELECT \(size) FROM \(rows) AS r WHERE r.id = ?1")
        insert = Query("INSERT INTO \(rows) VALUES (NULL, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)")
        update = Query(
            """
            UPDATE \(rows) SET version = ?2, stored_at = ?3, expires_at = ?4, digest = ?5, size = ?6, tags = ?7,
            metadata = ?8, value = ?9 WHERE id = ?1
            """
        )
        refresh = Query(
            "UPDATE \(rows) SET version = ?2, stored_at = ?3, expires_at = ?4, digest = ?5, metadata = ?6 WHERE id = ?1"
        )
        delete = Query("DELETE FROM \(rows) WHERE id = ?1")

        insertUse = Query("INSERT OR REPLACE INTO \(uses) VALUES (?1, ?2, ?3, ?4)")
        updateUse = Query("UPDATE \(uses) SET used_at = ?2, expires_at = ?3, size = ?4 WHERE id = ?1")
        updateExpiry = Query("UPDATE \(uses) SET expires_at = ?2, size = ?3 WHERE id = ?1")
        touch = Query("UPDATE \(uses) SET used_at = ?2 WHERE id = (SELECT id FROM \(rows) WHERE key = ?1)")
        deleteUse = Query("DELETE FROM \(uses) WHERE id = ?1")
        repairUses = [
            Query("DELETE FROM \(uses) WHERE id NOT IN (SELECT id FROM \(rows))"),
            Query(
                """
                INSERT INTO \(uses) SELECT id, stored_at, expires_at, \(Self.valueSize("size")) FROM \(rows)
                WHERE id NOT IN (SELECT id FROM \(uses))
                """
            ),
        ]
        count = Query("SELECT count(*), total(\(size)) FROM \(rows) AS r")
        leastRecentlyUsed = Query("SELECT id, used_at FROM \(uses) ORDER BY used_at, id")
        expired = Query("SELECT id FROM \(uses) WHERE expires_at <= ?1 LIMIT ?2")

        insertTag = Query("INSERT OR IGNORE INTO \(tags) VALUES (?1, ?2)")
        deleteTag = Query("DELETE FROM \(tags) WHERE tag = ?1 AND id = ?2")

        insertValue = Query("INSERT OR REPLACE INTO \(values) VALUES (?1, ?2)")
        deleteValue = Query("DELETE FROM \(values) WHERE id = ?1")

        let summary = """
            SELECT r.key, r.version, r.stored_at, r.expires_at, r.tags, r.metadata,
            \(lastUse), \(size)
            FROM \(rows) AS r LEFT JOIN \(uses) AS u ON u.id = r.id
            """
        let range = "r.key >= ?1 AND (?2 IS NULL OR r.key < ?2) AND (?3 IS NULL OR r.key > ?3)"
        list = Query("\(summary) WHERE \(range) ORDER BY r.key LIMIT ?4")
        listTagged = Query(
            "\(summary) WHERE \(range) AND r.id IN (SELECT id FROM \(tags) WHERE tag = ?5) ORDER BY r.key LIMIT ?4"
        )
        prefixed = Query("SELECT id FROM \(rows) WHERE key >= ?1 AND (?2 IS NULL OR key < ?2) LIMIT ?3")
        tagged = Query("SELECT id FROM \(tags) WHERE tag = ?1 LIMIT ?2")
        all = Query("SELECT id FROM \(rows) LIMIT ?1")

        allKeys = Query("SELECT key FROM \(rows) ORDER BY key")
        clear = [rows, uses, tags, values].map { Query("DELETE FROM \($0)") }

        head = Query("SELECT count, bytes, version, writer FROM collections WHERE name = '\(name)'")
        updateHead = Query(
            "UPDATE collections SET count = ?1, bytes = ?2, version = ?3, writer = ?4 WHERE name = '\(name)'"
        )

        appendFeed = Query("INSERT INTO \(feed) VALUES (NULL, ?1, ?2, ?3, ?4)")
        trimFeed = Query("DELETE FROM \(feed) WHERE position <= ?1")
        readFeed = Query(
            "SELECT position, key, kind, version, writer FROM \(feed) WHERE position > ?1 ORDER BY position LIMIT ?2"
        )
        feedBounds = Query("SELECT min(position), max(position) FROM \(feed)")
    }
}
