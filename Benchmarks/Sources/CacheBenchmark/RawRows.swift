// SPDX-License-Identifier: MIT

import Foundation
import GRDBSQLite
import Synchronization

/// The code that a careful C programmer would write to read the bodies of a response cache's file: one connection, one
/// prepared statement, and nothing around them.
final class RawRows: Sendable {
    /// The connection with its statement; used under the lock only.
    private final class Session {
        private let database: OpaquePointer
        private let selection: OpaquePointer
        private let copies = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

        init(file: String) throws {
            var handle: OpaquePointer?
            var statement: OpaquePointer?
            let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX
            let sql = "SELECT value, metadata, stored_at, expires_at FROM rows_cache WHERE key = ?1"
            guard sqlite3_open_v2(file, &handle, flags, nil) == SQLITE_OK, let database = handle,
                sqlite3_prepare_v3(database, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil) == SQLITE_OK,
                let selection = statement
            else {
                throw CocoaError(.fileReadUnknown)
            }
            self.database = database
            self.selection = selection
        }

        deinit {
            sqlite3_finalize(selection)
            sqlite3_close_v2(database)
        }

        func body(_ key: String) -> Data? {
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
            return Data(bytes: bytes, count: Int(sqlite3_column_bytes(selection, 0)))
        }
    }

    private let session: Mutex<Session>

    init(file: URL) throws {
        session = Mutex(try Session(file: file.path))
    }

    /// The body of the row with that key.
    func body(_ key: String) -> Data? {
        session.withLock { $0.body(key) }
    }
}
