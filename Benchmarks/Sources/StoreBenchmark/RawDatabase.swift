// SPDX-License-Identifier: MIT

import Foundation
import GRDBSQLite
import Synchronization

/// The code that a careful C programmer would write: prepared statements on one connection, and nothing around them.
final class RawDatabase: Sendable {
    /// The connection with its statements; used under the lock only.
    final class Session {
        private let database: OpaquePointer
        private let selection: OpaquePointer
        private let upsert: OpaquePointer
        private let copies = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

        init(file: String) throws {
            var handle: OpaquePointer?
            let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
            guard sqlite3_open_v2(file, &handle, flags, nil) == SQLITE_OK, let database = handle else {
                throw CocoaError(.fileReadUnknown)
            }
            self.database = database
            for statement in [
                "PRAGMA journal_mode = WAL", "PRAGMA synchronous = NORMAL", "PRAGMA cache_size = -8192",
                """
                CREATE TABLE IF NOT EXISTS rows
                (key TEXT PRIMARY KEY, value BLOB NOT NULL, stored_at REAL NOT NULL, expires_at REAL)
                """,
            ] {
                guard sqlite3_exec(database, statement, nil, nil, nil) == SQLITE_OK else {
                    throw CocoaError(.fileWriteUnknown)
                }
            }
            selection = try Self.prepare("SELECT value, stored_at, expires_at FROM rows WHERE key = ?1", database)
            upsert = try Self.prepare(
                """
                INSERT INTO rows VALUES (?1, ?2, ?3, ?4) ON CONFLICT (key) DO UPDATE
                SET value = excluded.value, stored_at = excluded.stored_at, expires_at = excluded.expires_at
                """,
                database
            )
        }

        deinit {
            sqlite3_finalize(selection)
            sqlite3_finalize(upsert)
            sqlite3_close_v2(database)
        }

        private static func prepare(_ sql: String, _ database: OpaquePointer) throws -> OpaquePointer {
            var handle: OpaquePointer?
            guard sqlite3_prepare_v3(database, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil) == SQLITE_OK,
                let statement = handle
            else {
                throw CocoaError(.fileReadUnknown)
            }
            return statement
        }

        func value(_ key: String) -> (value: Data, storedAt: Double, expiresAt: Double)? {
            var key = key
            key.withUTF8 {
                _ = sqlite3_bind_text(
                    selection,
                    1,
                    UnsafeRawPointer($0.baseAddress)?.assumingMemoryBound(to: CChar.self),
                    Int32($0.count),
                    copies
                )
            }
            defer { sqlite3_reset(selection) }
            guard sqlite3_step(selection) == SQLITE_ROW, let bytes = sqlite3_column_blob(selection, 0) else {
                return nil
            }
            let value = Data(bytes: bytes, count: Int(sqlite3_column_bytes(selection, 0)))
            return (value, sqlite3_column_double(selection, 1), sqlite3_column_double(selection, 2))
        }

        func put(_ key: String, _ value: Data, _ storedAt: Double, _ expiresAt: Double) {
            var key = key
            key.withUTF8 {
                _ = sqlite3_bind_text(
                    upsert,
                    1,
                    UnsafeRawPointer($0.baseAddress)?.assumingMemoryBound(to: CChar.self),
                    Int32($0.count),
                    copies
                )
            }
            value.withUnsafeBytes { _ = sqlite3_bind_blob(upsert, 2, $0.baseAddress, Int32($0.count), copies) }
            sqlite3_bind_double(upsert, 3, storedAt)
            sqlite3_bind_double(upsert, 4, expiresAt)
            let code = sqlite3_step(upsert)
            expect(code == SQLITE_DONE)
            sqlite3_reset(upsert)
        }

        func execute(_ sql: String) {
            let code = sqlite3_exec(database, sql, nil, nil, nil)
            expect(code == SQLITE_OK)
        }
    }

    private let session: Mutex<Session>

    init(folder: URL) throws {
        session = Mutex(try Session(file: folder.appending(path: "raw.sqlite").path))
        session.withLock { session in
            session.execute("BEGIN")
            for (number, key) in Rows.keys.enumerated() {
                session.put(key, Rows.body(number, generation: 0), 0, 1e12)
            }
            session.execute("COMMIT")
        }
    }

    /// Gives the connection to the closure; whoever takes it once for many rows pays for no lock.
    func use<Value: Sendable>(_ body: (Session) throws -> sending Value) rethrows -> Value {
        try session.withLock { try body($0) }
    }
}
