// SPDX-License-Identifier: MIT

import CSQLite
import RestEssentials

/// A prepared statement; used only by the connection that made it, under that connection's lock.
@safe final class Statement {
    private let handle: OpaquePointer
    private let database: OpaquePointer
    private let file: String

    init(_ sql: String, database: OpaquePointer, file: String) throws(StoreError) {
        var handle: OpaquePointer?
        let code = unsafe sqlite3_prepare_v3(
            database,
            sql,
            -1,
            UInt32(SQLITE_PREPARE_PERSISTENT),
            &handle,
            nil
        )
        guard code == SQLITE_OK, let handle = unsafe handle else {
            throw unsafe Connection.error(code, database: database, file: file)
        }
        unsafe self.handle = handle
        unsafe self.database = database
        self.file = file
    }

    deinit {
        unsafe sqlite3_finalize(handle)
    }

    // MARK: - Running

    func step() throws(StoreError) -> Bool {
        let code = unsafe sqlite3_step(handle)
        switch code {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default:
            let error = unsafe Connection.error(code, database: database, file: file)
            reset()
            throw error
        }
    }

    /// Steps to the end, ignoring rows, and resets.
    func run() throws(StoreError) {
        while try step() {}
        reset()
    }

    /// Makes the statement ready for the next use and ends the read transaction that it held.
    func reset() {
        unsafe sqlite3_reset(handle)
    }

    /// Binds a value to a parameter, from 1.
    func bind(_ value: some Bindable, at index: Int32) throws(StoreError) {
        let code = unsafe value.bind(to: handle, at: index)
        guard code == SQLITE_OK else {
            throw unsafe Connection.error(code, database: database, file: file)
        }
    }

    // MARK: - Reading columns, from 0

    func isNull(_ column: Int32) -> Bool {
        unsafe sqlite3_column_type(handle, column) == SQLITE_NULL
    }

    func int64(_ column: Int32) -> Int64 {
        unsafe sqlite3_column_int64(handle, column)
    }

    func int(_ column: Int32) -> Int {
        Int(truncatingIfNeeded: int64(column))
    }

    func uint64(_ column: Int32) -> UInt64 {
        UInt64(bitPattern: int64(column))
    }

    func date(_ column: Int32) -> Date {
        Date(timeIntervalSinceReferenceDate: unsafe sqlite3_column_double(handle, column))
    }

    func optionalDate(_ column: Int32) -> Date? {
        isNull(column) ? nil : date(column)
    }

    func optionalData(_ column: Int32) -> Data? {
        isNull(column) ? nil : data(column)
    }

    func data(_ column: Int32) -> Data {
        guard let bytes = unsafe sqlite3_column_blob(handle, column) else {
            return Data()
        }
        return unsafe Data(bytes: bytes, count: Int(sqlite3_column_bytes(handle, column)))
    }

    func text(_ column: Int32) -> String {
        guard let bytes = unsafe sqlite3_column_text(handle, column) else {
            return ""
        }
        let count = Int(unsafe sqlite3_column_bytes(handle, column))
        return unsafe String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }
}

/// The text of a statement that connections prepare once and keep.
///
/// It is identified by reference, so that finding the prepared statement does not hash hundreds of characters. Create
/// each one once, not for every call.
final class Query: Sendable {
    let text: String

    init(_ text: String) {
        self.text = text
    }
}
