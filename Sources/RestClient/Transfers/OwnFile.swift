// SPDX-License-Identifier: MIT

import RestEssentials

/// Files that nobody but the user of this process can have written.
///
/// In a folder that several users may write to, whatever lies there may be of another one: a file made in advance with
/// rights for all, a second name of some other file, or a pipe.
enum OwnFile {
    /// Returns true if an open file is a regular one, belongs to the user of this process, has one name, and gives
    /// others no rights.
    ///
    /// Rights of others are taken away. Then it is not such a file all the same, because others may have changed it, or
    /// have it open; unless its file system has no rights to take.
    ///
    /// Some mounts give all files one owner, as those of CIFS and FAT with `uid=0` do. There, a file that this process
    /// creates shows that owner, too, and nothing tells the files of users apart.
    ///
    /// - Returns: False for a file that another user may have written.
    static func isOwn(_ descriptor: CInt, at path: String, user: uid_t = geteuid()) -> Bool {
        guard let before = information(descriptor), before.st_mode & S_IFMT == S_IFREG, before.st_nlink == 1,
            before.st_uid == user || isOwner(before, ofNewFilesBeside: path)
        else {
            return false
        }
        guard givesRights(before) else {
            return true
        }
        guard fchmod(descriptor, 0o600) == 0, let after = information(descriptor) else {
            return errno == EPERM || errno == ENOTSUP || errno == ENOSYS
        }
        return givesRights(after)
    }

    /// Returns the bytes of a file; `nil` if there is none, if it is too long, or if another user can have written it.
    ///
    /// A symbolic link is not followed, and a pipe is not waited for.
    static func bytes(at path: String, upTo limit: Int) -> Data? {
        UntrustedFile.bytes(at: path, upTo: limit) { isOwn($0, at: path) }
    }

    /// Returns true if a file has the owner that a file shows which this process creates in a folder.
    private static func isOwner(_ known: stat, ofNewFilesBeside path: String) -> Bool {
        let folder = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path[...$0] } ?? ""
        let probe = "\(folder).owner-\(String(UInt64.random(in: 0 ... .max), radix: 36))"
        let descriptor = unsafe open(probe, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            return false
        }
        defer {
            close(descriptor)
            unsafe unlink(probe)
        }
        return information(descriptor).map { $0.st_uid == known.st_uid && $0.st_dev == known.st_dev } ?? false
    }

    private static func givesRights(_ information: stat) -> Bool { information.st_mode & 0o077 != 0 }

    private static func information(_ descriptor: CInt) -> stat? {
        var information = stat()
        return unsafe fstat(descriptor, &information) == 0 ? information : nil
    }
}
