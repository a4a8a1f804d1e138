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

    /// Steps once; returns `true` if there is a row to read.
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

    // MARK: - Binding, from 1

    func bind(_ value: Int64, at index: Int32) {
        unsafe sqlite3_bind_int64(handle, index, value)
    }

    func bind(_ value: Int, at index: Int32) {
        unsafe sqlite3_bind_int64(handle, index, Int64(value))
    }

    /// Binds the bits, so that the whole range survives.
    func bind(_ value: UInt64, at index: Int32) {
        unsafe sqlite3_bind_int64(handle, index, Int64(bitPattern: value))
    }

    func bind(_ value: Double, at index: Int32) {
        unsafe sqlite3_bind_double(handle, index, value)
    }

    func bind(_ date: Date, at index: Int32) {
        bind(date.timeIntervalSinceReferenceDate, at: index)
    }

    func bind(_ date: Date?, at index: Int32) {
        if let date { bind(date, at: index) } else { bindNull(at: index) }
    }

    func bindNull(at index: Int32) {
        unsafe sqlite3_bind_null(handle, index)
    }

    func bind(_ text: String, at index: Int32) throws(StoreError) {
        var text = text
        let code = text.withUTF8 { bytes in
            bytes.isEmpty
                ? unsafe sqlite3_bind_text(handle, index, "", 0, nil)
                : unsafe bytes.withMemoryRebound(to: CChar.self) { characters in
                    unsafe sqlite3_bind_text64(
                        handle,
                        index,
                        characters.baseAddress,
                        UInt64(characters.count),
                        Self.copies,
                        UInt8(SQLITE_UTF8)
                    )
                }
        }
        try check(code)
    }

    /// Binds bytes as text, unchanged, even if they are not valid UTF-8, for the bounds of a range of keys.
    func bind(textBytes: [UInt8], at index: Int32) throws(StoreError) {
        let code = unsafe textBytes.withUnsafeBytes { bytes in
            unsafe sqlite3_bind_text64(
                handle,
                index,
                bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
                UInt64(bytes.count),
                Self.copies,
                UInt8(SQLITE_UTF8)
            )
        }
        try check(code)
    }

    func bind(_ data: Data, at index: Int32) throws(StoreError) {
        guard !data.isEmpty else {
            try check(unsafe sqlite3_bind_zeroblob(handle, index, 0))
            return
        }
        let code = unsafe data.withUnsafeBytes { bytes in
            unsafe sqlite3_bind_blob64(handle, index, bytes.baseAddress, UInt64(bytes.count), Self.copies)
        }
        try check(code)
    }

    /// Binds a blob of zero bytes, to be filled through ``Connection/writeBlob(_:table:column:row:)``.
    func bind(zeroBytes count: Int, at index: Int32) throws(StoreError) {
        try check(unsafe sqlite3_bind_zeroblob64(handle, index, UInt64(count)))
    }

    private func check(_ code: Int32) throws(StoreError) {
        guard code == SQLITE_OK else {
            throw unsafe Connection.error(code, database: database, file: file)
        }
    }

    /// Makes SQLite copy a bound value before the call returns.
    private static var copies: sqlite3_destructor_type {
        unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
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
