// SPDX-License-Identifier: MIT

import RestEssentials

/// The database file in the file system: its folder, its permissions, its companions.
///
/// While a database is in use, no other code may open and close it: POSIX drops all locks of the process on a file when
/// any descriptor of it is closed. So an existing file is only inspected with `stat`.
enum DatabaseFile {
    static let companions = ["-wal", "-shm", "-journal"]

    /// Creates the folder (0700) and the file (0600) if they do not exist.
    ///
    /// Existing ones keep their permissions. A symbolic link in the place of the file is an error.
    static func prepare(_ path: String) throws(StoreError) {
        try PrivateFolder.create(above: path)
        var information = stat()
        // Not `stat`: a link in the place of the file would lead the store to a file of somebody else's choice.
        if unsafe lstat(path, &information) == 0 {
            let reason: String
            switch information.st_mode & S_IFMT {
            case S_IFREG: return
            case S_IFDIR: reason = "leads to a folder"
            case S_IFLNK: reason = "is a symbolic link, which is not followed"
            default: reason = "is not that of a file"
            }
            throw StoreError(.cannotOpen, "the path of the database file \(reason)", file: path)
        }
        try setCompanionsAside(path)
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if descriptor >= 0 {
            _ = close(descriptor)
        } else if errno != EEXIST {
            throw SystemFile.failure(.cannotOpen, "the database file cannot be created", path: path)
        }
    }

    /// Explains why SQLite could not open a file, because it does not distinguish permissions from read-only disks.
    static func explain(_ error: StoreError, path: String) -> StoreError {
        guard error.code == .cannotOpen || error.code == .readOnly else {
            return error
        }
        for place in [path, folder(of: path)] where unsafe access(place, W_OK) != 0 {
            return SystemFile.failure(error.code, error.reason, path: place)
        }
        return error
    }

    /// Returns true if a file can only be read as it is: no process has it open for writing, and its folder does not
    /// let a reader create the files that SQLite needs beside it.
    static func isFrozen(_ path: String) -> Bool {
        guard FileStamp(of: path) != nil else {
            return false
        }
        return unsafe access(folder(of: path), W_OK) != 0
    }

    private static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else {
            return "."
        }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Renames the database and its companions to an unused name in the same folder, and returns that name.
    static func setAside(_ path: String, now: Date) throws(StoreError) -> String {
        let target = unusedName(for: path, now: now)
        guard unsafe rename(path, target) == 0 else {
            throw SystemFile.failure(.cannotOpen, "the damaged file cannot be set aside", path: path)
        }
        renameCompanions(of: path, to: target)
        return target
    }

    /// Renames the companions of a database that does not exist to an unused name in the same folder.
    ///
    /// SQLite would destroy a log that is there without its database. A connection to a file that was removed or
    /// renamed still has the index of the log mapped into memory, so that the process would end with a bus error when
    /// another connection makes that index empty.
    private static func setCompanionsAside(_ path: String) throws(StoreError) {
        func isLeft() -> Bool { companions.contains { SystemFile.identity(of: path + $0) != nil } }
        guard isLeft() else {
            return
        }
        let lock: FileLock
        do throws(StoreError) {
            lock = try FileLock.acquire(path + ".creating", by: .now + .seconds(1))
        } catch  where error.code != .busy {
            // In a folder that cannot be written, nothing is created; without locks, nobody can be excluded.
            return
        }
        defer { lock.release() }
        // Those of a database that another process has created meanwhile are in use.
        if SystemFile.identity(of: path) == nil, isLeft() {
            renameCompanions(of: path, to: unusedName(for: path, now: Date()))
        }
    }

    private static func renameCompanions(of path: String, to target: String) {
        for companion in companions where SystemFile.identity(of: path + companion) != nil {
            _ = unsafe rename(path + companion, target + companion)
        }
    }

    private static func unusedName(for path: String, now: Date) -> String {
        let stamp = Int64(max(0, min(now.timeIntervalSince1970, 1e15)))
        var target = "\(path).damaged-\(stamp)"
        var attempt = 1
        while ([""] + companions).contains(where: { SystemFile.identity(of: target + $0) != nil }) {
            target = "\(path).damaged-\(stamp)-\(attempt)"
            attempt += 1
        }
        return target
    }
}

/// The state of a database file that no process has open for writing, to detect later changes.
struct FileStamp: Equatable {
    private let identity: [UInt64]
    private let size: Int64
    private let modification: [Int64]

    /// Takes the stamp of a file; `nil` if there is no file, or if it has a write-ahead log.
    init?(of path: String) {
        var information = stat()
        guard unsafe stat(path, &information) == 0, SystemFile.identity(of: path + "-wal") == nil else {
            return nil
        }
        identity = SystemFile.identity(information)
        size = Int64(information.st_size)
        #if canImport(Darwin)
        let time = information.st_mtimespec
        #else
        let time = information.st_mtim
        #endif
        modification = [Int64(time.tv_sec), Int64(time.tv_nsec)]
    }
}
