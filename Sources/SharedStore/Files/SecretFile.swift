// SPDX-License-Identifier: MIT

package import RestEssentials

/// A small file of random bytes that only its owner may read.
package enum SecretFile {
    /// The number of bytes in a file.
    package static let length = 32

    /// Returns the bytes of the file.
    ///
    /// Creates the file if it does not exist or has another length.
    ///
    /// If several processes create the file at the same time, all get the same bytes: a complete file is moved to its
    /// place by an operation that fails if the place is taken.
    package static func bytes(at url: URL) throws(StoreError) -> Data {
        let path = try FilePath.path(of: url)
        if let bytes = read(path) {
            return bytes
        }
        let draft = "\(path).\(UInt64.random(in: .min ... .max))"
        try PrivateFile.create(draft, with: randomBytes())
        defer { _ = unsafe unlink(draft) }
        if unsafe link(draft, path) != 0 {
            if let bytes = read(path) {
                return bytes
            }
            guard unsafe rename(draft, path) == 0 else {
                throw failure("the secret cannot be put in its place", path)
            }
        }
        guard let bytes = read(path) else {
            throw failure("the secret cannot be read", path)
        }
        return bytes
    }

    private static func read(_ path: String) -> Data? {
        guard let bytes = try? Data(contentsOf: URL(fileURLWithPath: path)), bytes.count == length else {
            return nil
        }
        return bytes
    }

    private static func randomBytes() -> Data {
        var generator = SystemRandomNumberGenerator()
        return Data((0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) })
    }

    private static func failure(_ reason: String, _ path: String) -> StoreError {
        SystemFile.failure(.cannotOpen, reason, path: path)
    }
}
