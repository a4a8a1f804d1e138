// SPDX-License-Identifier: MIT

import RestEssentials

enum SystemFile {
    static func failure(_ code: StoreError.Code, _ reason: String, path: String) -> StoreError {
        let number = errno
        let actual: StoreError.Code =
            switch number {
            case EACCES, EPERM: code == .cannotCreateDirectory ? code : .permissionDenied
            case EROFS: code == .cannotCreateDirectory ? code : .readOnly
            case ENOTDIR: .notADirectory
            case ENOSPC, EDQUOT: .diskFull
            default: code
            }
        let words = unsafe String(cString: strerror(number))
        return StoreError(actual, "\(reason): \(words)", file: path)
    }

    /// Returns the identity of the file at a path, which differs from that of any replacement; `nil` if there is no
    /// file.
    static func identity(of path: String) -> [UInt64]? {
        var information = stat()
        guard unsafe stat(path, &information) == 0 else {
            return nil
        }
        return identity(information)
    }

    /// Returns false if a path leads to another file than one with this identity, or to none.
    static func isFile(_ identity: [UInt64], at path: String) -> Bool {
        var information = stat()
        guard unsafe stat(path, &information) == 0 else {
            // Without rights to the folder nothing is known.
            return errno != ENOENT && errno != ENOTDIR
        }
        return self.identity(information) == identity
    }

    static func identity(of descriptor: Int32) -> [UInt64]? {
        var information = stat()
        guard unsafe fstat(descriptor, &information) == 0 else {
            return nil
        }
        return identity(information)
    }

    static func identity(_ information: stat) -> [UInt64] {
        [UInt64(truncatingIfNeeded: information.st_dev), UInt64(truncatingIfNeeded: information.st_ino)]
    }
}
