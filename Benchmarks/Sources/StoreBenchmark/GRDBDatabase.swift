// SPDX-License-Identifier: MIT

import Foundation
import GRDB

/// The same table through GRDB's pool, one block for each row as its documentation shows.
struct GRDBDatabase: Sendable {
    private let pool: DatabasePool
    private static let upsert = """
        INSERT INTO rows VALUES (?, ?, ?, ?) ON CONFLICT (key) DO UPDATE
        SET value = excluded.value, stored_at = excluded.stored_at, expires_at = excluded.expires_at
        """

    init(folder: URL) throws {
        pool = try DatabasePool(path: folder.appending(path: "grdb.sqlite").path)
        try pool.write { database in
            try database.execute(
                sql: """
                    CREATE TABLE rows
                    (key TEXT PRIMARY KEY, value BLOB NOT NULL, stored_at REAL NOT NULL, expires_at REAL)
                    """
            )
            for (number, key) in Rows.keys.enumerated() {
                try Self.put(key, Rows.body(number, generation: 0), database)
            }
        }
    }

    private static func put(_ key: String, _ value: Data, _ database: Database) throws {
        try database.cachedStatement(sql: upsert).execute(arguments: [key, value, 0, 1e12])
    }

    private static func value(_ key: String, _ database: Database) throws -> Data? {
        let statement = try database.cachedStatement(sql: "SELECT value, stored_at, expires_at FROM rows WHERE key = ?")
        return try Row.fetchOne(statement, arguments: [key])?[0]
    }

    func value(_ key: String) throws -> Data? {
        try pool.read { try Self.value(key, $0) }
    }

    func valueLater(_ key: String) async throws -> Data? {
        try await pool.read { try Self.value(key, $0) }
    }

    func put(_ key: String, _ value: Data) throws {
        try pool.write { try Self.put(key, value, $0) }
    }

    func putLater(_ key: String, _ value: Data) async throws {
        try await pool.write { try Self.put(key, value, $0) }
    }

    func put(_ rows: [(key: String, value: Data)]) throws {
        try pool.write { database in
            for row in rows { try Self.put(row.key, row.value, database) }
        }
    }
}
