// SPDX-License-Identifier: MIT

/// Reads files in folders where another user may have replaced them.
package enum UntrustedFile {
    /// Returns the bytes of a file; `nil` if there is none, if it is too long or cannot be read, or if it is refused.
    ///
    /// A symbolic link is not followed unless the caller says so, and a pipe is not waited for.
    package static func bytes(
        at path: String,
        upTo limit: Int,
        followsLinks: Bool = false,
        if isTrusted: (CInt) -> Bool
    ) -> Data? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | (followsLinks ? 0 : O_NOFOLLOW))
        guard descriptor >= 0 else {
            return nil
        }
        defer { _ = close(descriptor) }
        guard isTrusted(descriptor) else {
            return nil
        }
        var bytes = Data(count: limit + 1)
        var length = 0
        while length <= limit {
            let count = unsafe bytes.withUnsafeMutableBytes { buffer in
                let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[length...])
                return unsafe read(descriptor, rest.baseAddress, rest.count)
            }
            guard count > 0 || count < 0 && errno == EINTR else {
                return count == 0 ? bytes.prefix(length) : nil
            }
            length += max(0, count)
        }
        return nil
    }
}
