// SPDX-License-Identifier: MIT

import CSQLite
import RestEssentials

/// One connection to a database file, with its prepared statements.
///
/// It is opened without SQLite's own mutexes: the owner of a connection keeps it in a `Mutex` and uses it only there.
@safe final class Connection {
    enum Mode {
        case readWrite
        case readOnly
        /// Read access to a file to which no process writes, without the companion files that a reader would have to
        /// create. It is the only access possible in a folder that cannot be written.
        case frozen
    }

    private let handle: OpaquePointer
    let file: String
    /// The state of the file for which a frozen connection was opened.
    private let stamp: FileStamp?
    /// The statements prepared so far, with their queries, which keep the identities alive.
    private var statements: [ObjectIdentifier: (query: Query, statement: Statement)] = [:]

    /// Opens the file, which must exist.
    init(file: String, mode: Mode, busyTimeout: Duration) throws(StoreError) {
        var handle: OpaquePointer?
        let flags =
            SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_EXRESCODE
            | (mode == .readWrite ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY)
            | (mode == .frozen ? SQLITE_OPEN_URI : 0)
        // Taken before the file is opened, so that no later change is missed.
        stamp = mode == .frozen ? FileStamp(of: file) : nil
        let name = mode == .frozen ? Self.immutableURI(file) : file
        let code = unsafe sqlite3_open_v2(name, &handle, flags, nil)
        guard let handle = unsafe handle else {
            throw StoreError(.cannotOpen, "SQLite cannot allocate a connection", file: file, sqliteCode: code)
        }
        guard code == SQLITE_OK else {
            let error = unsafe Self.error(code, database: handle, file: file)
            unsafe sqlite3_close_v2(handle)
            throw error
        }
        unsafe self.handle = handle
        self.file = file
        unsafe BusyHandler.install(on: handle, timeout: busyTimeout)
    }

    deinit {
        statements.removeAll()
        unsafe sqlite3_close_v2(handle)
    }

    /// A Boolean value that indicates whether the file was written to although the connection treats it as frozen.
    var isOutdated: Bool {
        stamp.map { $0 != FileStamp(of: file) } ?? false
    }

    private static func immutableURI(_ path: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        let escaped = path.utf8.flatMap { byte -> [UInt8] in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "-"):
                [byte]
            default: [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return "file:\(String(decoding: escaped, as: UTF8.self))?immutable=1"
    }

    // MARK: - Statements

    /// Returns the statement of a query with values for its parameters, in their order; the caller resets it.
    func statement<each Value: Bindable>(_ query: Query, _ values: repeat each Value) throws(StoreError) -> Statement {
        let statement = try prepared(query)
        var index: Int32 = 1
        for value in repeat each values {
            try statement.bind(value, at: index)
            index += 1
        }
        return statement
    }

    /// Runs the statement of a query with values for its parameters, in their order, to its end.
    func run<each Value: Bindable>(_ query: Query, _ values: repeat each Value) throws(StoreError) {
        try statement(query, repeat each values).run()
    }

    private func prepared(_ query: Query) throws(StoreError) -> Statement {
        if let known = statements[ObjectIdentifier(query)] { return known.statement }
        let statement = unsafe try Statement(query.text, database: handle, file: file)
        statements[ObjectIdentifier(query)] = (query, statement)
        return statement
    }

    func execute(_ sql: String) throws(StoreError) {
        try unsafe Statement(sql, database: handle, file: file).run()
    }

    func integer(_ sql: String) throws(StoreError) -> Int64? {
        let statement = unsafe try Statement(sql, database: handle, file: file)
        defer { statement.reset() }
        return try statement.step() ? statement.int64(0) : nil
    }

    func text(_ sql: String) throws(StoreError) -> String? {
        let statement = unsafe try Statement(sql, database: handle, file: file)
        defer { statement.reset() }
        return try statement.step() ? statement.text(0) : nil
    }

    var lastInsertedRow: Int64 {
        unsafe sqlite3_last_insert_rowid(handle)
    }

    var isInTransaction: Bool {
        unsafe sqlite3_get_autocommit(handle) == 0
    }

    func rollBack() {
        guard isInTransaction else {
            return
        }
        unsafe sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
    }

    // MARK: - Large values

    /// Reads a blob into the returned memory, without a copy.
    func readBlob(table: String, column: String, row: Int64, count: Int) throws(StoreError) -> Data {
        guard count > 0 else {
            return Data()
        }
        let blob = unsafe try openBlob(table: table, column: column, row: row, writes: false)
        defer { unsafe sqlite3_blob_close(blob) }
        guard unsafe sqlite3_blob_bytes(blob) == Int32(clamping: count) else {
            throw StoreError(.corrupt, "the length of a large value differs from the one in its row", file: file)
        }
        var data = Data(count: count)
        let code = unsafe data.withUnsafeMutableBytes { bytes in
            unsafe sqlite3_blob_read(blob, bytes.baseAddress, Int32(clamping: count), 0)
        }
        guard code == SQLITE_OK else {
            throw unsafe Self.error(code, database: handle, file: file)
        }
        return data
    }

    /// Writes bytes into a blob of the same length, without a copy.
    func writeBlob(_ data: Data, table: String, column: String, row: Int64) throws(StoreError) {
        guard !data.isEmpty else {
            return
        }
        let blob = unsafe try openBlob(table: table, column: column, row: row, writes: true)
        defer { unsafe sqlite3_blob_close(blob) }
        let code = unsafe data.withUnsafeBytes { bytes in
            unsafe sqlite3_blob_write(blob, bytes.baseAddress, Int32(clamping: bytes.count), 0)
        }
        guard code == SQLITE_OK else {
            throw unsafe Self.error(code, database: handle, file: file)
        }
    }

    private func openBlob(
        table: String,
        column: String,
        row: Int64,
        writes: Bool
    ) throws(StoreError) -> OpaquePointer {
        var blob: OpaquePointer?
        let code = unsafe sqlite3_blob_open(handle, "main", table, column, row, writes ? 1 : 0, &blob)
        guard code == SQLITE_OK, let blob = unsafe blob else {
            throw unsafe Self.error(code, database: handle, file: file)
        }
        return unsafe blob
    }

    // MARK: - Errors

    static func error(_ code: Int32, database: OpaquePointer, file: String) -> StoreError {
        let message = unsafe sqlite3_errmsg(database).map { unsafe String(cString: $0) } ?? "no message"
        let systemCodes = [SQLITE_CANTOPEN, SQLITE_IOERR, SQLITE_FULL, SQLITE_READONLY]
        let systemError = systemCodes.contains(code & 0xFF) ? unsafe sqlite3_system_errno(database) : 0
        return .sqlite(code, message: message, systemError: systemError, file: file)
    }
}

/// The time for which a connection waits for others, and its steps.
///
/// SQLite's own busy timeout sleeps up to 100 ms per step, which starves a process that shares a file with a busy one;
/// this one begins with 0.1 ms and never sleeps longer than 5 ms.
enum BusyHandler {
    /// The steps of the wait in microseconds: the n-th attempt sleeps the n-th step, later ones the last.
    static let steps: [UInt32] = [100, 100, 200, 200, 500, 500, 1000, 1000, 2000, 2000, 5000]

    /// The microseconds slept before the n-th attempt, from 0.
    static func waited(before attempt: Int) -> UInt64 {
        let known = steps.prefix(attempt).reduce(0) { $0 + UInt64($1) }
        return known + UInt64(max(0, attempt - steps.count)) * UInt64(steps.last ?? 0)
    }

    static func attempts(within timeout: Duration) -> Int {
        let limit =
            UInt64(min(max(timeout.components.seconds, 0), 1_000_000)) * 1_000_000
            + UInt64(clamping: timeout.components.attoseconds / 1_000_000_000_000)
        var attempts = 0
        while attempts < 10_000_000, waited(before: attempts) < limit {
            attempts += attempts < steps.count ? 1 : max(1, Int((limit - waited(before: attempts)) / 5000))
        }
        return attempts
    }

    static func install(on database: OpaquePointer, timeout: Duration) {
        // The number of attempts is passed as the context pointer itself, so nothing has to outlive the connection.
        let context = unsafe UnsafeMutableRawPointer(bitPattern: attempts(within: timeout))
        unsafe sqlite3_busy_handler(
            database,
            { context, attempt in
                let limit = Int(bitPattern: context)
                guard Int(attempt) < limit else {
                    return 0
                }
                _ = usleep(BusyHandler.steps[min(Int(attempt), BusyHandler.steps.count - 1)])
                return 1
            },
            context
        )
    }
}
