// SPDX-License-Identifier: MIT

import CSQLite
import RestEssentials

extension StoreError {
    /// Creates the error for an extended result code of SQLite, with the underlying `errno`, or 0.
    static func sqlite(_ sqliteCode: Int32, message: String, systemError: Int32, file: String) -> StoreError {
        let code: Code
        switch (sqliteCode & 0xFF, systemError) {
        case (SQLITE_FULL, _), (_, ENOSPC), (_, EDQUOT): code = .diskFull
        case (SQLITE_BUSY, _), (SQLITE_LOCKED, _): code = .busy
        case (SQLITE_READONLY, _), (_, EROFS): code = .readOnly
        case (SQLITE_CORRUPT, _): code = .corrupt
        case (SQLITE_NOTADB, _): code = .notADatabase
        case (SQLITE_TOOBIG, _): code = .entryTooLarge
        case (SQLITE_PERM, _), (SQLITE_AUTH, _), (SQLITE_CANTOPEN, EACCES), (SQLITE_CANTOPEN, EPERM):
            code = .permissionDenied
        case (SQLITE_CANTOPEN, _): code = .cannotOpen
        case (SQLITE_IOERR, _), (SQLITE_NOMEM, _), (SQLITE_PROTOCOL, _): code = .inputOutput
        default: code = .internalFailure
        }
        var reason = message
        if systemError != 0 { reason += " (errno \(systemError))" }
        return StoreError(code, reason, file: file, sqliteCode: sqliteCode)
    }

    /// A Boolean value that indicates whether the database file is damaged or gone as a whole, and not one row of it.
    var isFileDamage: Bool {
        sqliteCode != nil && (code == .corrupt || code == .notADatabase || sqliteCode == Self.movedFile)
    }

    /// SQLite's code for a file that was removed, moved or replaced while it was open (`SQLITE_READONLY_DBMOVED`).
    static let movedFile = SQLITE_READONLY | (4 << 8)
}
