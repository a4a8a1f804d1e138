// SPDX-License-Identifier: MIT

package import RestEssentials

/// Writes files that only their owner may read.
package enum PrivateFile {
    /// Writes a whole file (0600), and creates its folders (0700) if they do not exist.
    ///
    /// The file appears at once and complete. What stood in its place is replaced: a symbolic link is not followed.
    package static func save(_ data: Data, to url: URL) throws(StoreError) {
        let path = try FilePath.path(of: url)
        try PrivateFolder.create(above: path)
        let draft = "\(path).\(UInt64.random(in: .min ... .max))"
        try create(draft, with: data)
        guard unsafe rename(draft, path) == 0 else {
            let error = SystemFile.failure(.cannotOpen, "the file cannot be put in its place", path: path)
            _ = unsafe unlink(draft)
            throw error
        }
    }

    static func create(_ path: String, with data: Data) throws(StoreError) {
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw SystemFile.failure(.cannotOpen, "the file cannot be created", path: path)
        }
        let isWritten = append(data, to: descriptor) && fsync(descriptor) == 0
        guard isWritten, close(descriptor) == 0 else {
            let error = SystemFile.failure(.inputOutput, "the file cannot be written", path: path)
            if !isWritten { _ = close(descriptor) }
            _ = unsafe unlink(path)
            throw error
        }
    }

    private static func append(_ data: Data, to descriptor: Int32) -> Bool {
        var rest = data[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 || (count < 0 && errno == EINTR) else {
                return false
            }
            rest = rest.dropFirst(max(0, count))
        }
        return true
    }
}

package enum PrivateFolder {
    /// Creates a folder (0700), with those above it, if it does not exist; an existing one keeps its permissions.
    package static func create(at url: URL) throws(StoreError) {
        try create(try FilePath.path(of: url))
    }

    /// Creates the folder of a file or folder.
    static func create(above path: String) throws(StoreError) {
        let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        if !folder.isEmpty { try create(folder) }
    }

    private static func create(_ path: String) throws(StoreError) {
        var information = stat()
        if unsafe stat(path, &information) == 0 {
            guard information.st_mode & S_IFMT == S_IFDIR else {
                throw StoreError(.notADirectory, "the path of the folder leads to a file", file: path)
            }
            return
        }
        if errno == ENOTDIR {
            throw StoreError(.notADirectory, "a part of the folder's path is a file", file: path)
        }
        try create(above: path)
        guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else {
            throw SystemFile.failure(.cannotCreateDirectory, "the folder cannot be created", path: path)
        }
    }
}

enum FilePath {
    static func path(of url: URL) throws(StoreError) -> String {
        guard url.isFileURL else {
            throw StoreError(.cannotOpen, "a store needs a file URL, not one with the scheme \(url.scheme ?? "none")")
        }
        let path = url.path
        guard !path.isEmpty, !path.utf8.contains(0), !url.absoluteString.contains("%00") else {
            throw StoreError(.cannotOpen, "the path is empty or contains NUL")
        }
        return path
    }
}
