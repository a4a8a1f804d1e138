// SPDX-License-Identifier: MIT

package import RestEssentials

package enum PrivateFolder {
    /// Creates a folder (0700), with those above it, if it does not exist; an existing one keeps its permissions.
    package static func create(at url: URL) throws(StoreError) {
        try create(try FilePath.path(of: url))
    }

    static func create(_ path: String) throws(StoreError) {
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
        let parent = path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        if !parent.isEmpty { try create(parent) }
        guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else {
            throw SystemFile.failure(.cannotCreateDirectory, "the folder cannot be created", path: path)
        }
    }
}
