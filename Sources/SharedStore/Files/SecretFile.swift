// SPDX-License-Identifier: MIT

package import RestEssentials

/// A small file of random bytes that only its owner may read.
package enum SecretFile {
    package static let length = 32

    /// Returns the bytes of the file, which is created if it does not exist or has another length; all processes get
    /// the same.
    ///
    /// What others can have put in its place, such as a pipe, a symbolic link or a file of another user, is not read,
    /// but replaced.
    package static func bytes(at url: URL) throws(StoreError) -> Data {
        let path = try FilePath.path(of: url)
        if let bytes = secret(at: path, of: geteuid()) {
            return bytes
        }
        let draft = "\(path).\(UInt64.random(in: .min ... .max))"
        try PrivateFile.create(draft, with: randomBytes())
        defer { _ = unsafe unlink(draft) }
        // Some file systems, such as those of a network, give the files of this process to another user.
        let owner = owner(of: draft)
        if unsafe link(draft, path) != 0 {
            if let bytes = secret(at: path, of: owner) {
                return bytes
            }
            guard unsafe rename(draft, path) == 0 else {
                throw failure("the secret cannot be put in its place", path)
            }
        }
        guard let bytes = secret(at: path, of: owner) else {
            throw failure("the secret cannot be read", path)
        }
        return bytes
    }

    /// Returns the bytes of a regular file that belongs to a user; `nil` if there is none, or if it has another length.
    ///
    /// A symbolic link is not followed, and a pipe is not waited for. Another name is allowed: the file has two until
    /// the draft is removed.
    private static func secret(at path: String, of owner: uid_t) -> Data? {
        let bytes = UntrustedFile.bytes(at: path, upTo: length) { descriptor in
            var information = stat()
            return unsafe fstat(descriptor, &information) == 0 && information.st_mode & S_IFMT == S_IFREG
                && information.st_uid == owner && information.st_size == length
        }
        return bytes?.count == length ? bytes : nil
    }

    /// Returns the owner of a file that this process has made; if that is unknown, the user of this process.
    private static func owner(of path: String) -> uid_t {
        var information = stat()
        return unsafe lstat(path, &information) == 0 ? information.st_uid : geteuid()
    }

    package static func randomBytes() -> Data {
        var generator = SystemRandomNumberGenerator()
        return Data((0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) })
    }

    private static func failure(_ reason: String, _ path: String) -> StoreError {
        SystemFile.failure(.cannotOpen, reason, path: path)
    }
}
