// SPDX-License-Identifier: MIT

import RestEssentials

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
