// SPDX-License-Identifier: MIT

import Crypto
import NIOPosix
import RestEssentials

/// The file that a download is written to before it takes its place, with its state beside it.
///
/// Both are the owner's only: a file that another user could have written is not resumed, see ``OwnFile``. The state is
/// written after the bytes that it speaks of are on the disk.
final class PartialFile {
    private static let keepInterval: Int64 = 16 << 20
    private static let pieceSize = 1 << 20
    /// The bytes that a state can have: it lists a few ranges.
    private static let stateLimit = 1 << 20
    /// The number of times that another file may appear in the place of the one that was opened.
    private static let openingLimit = 100

    private let path: String
    private let target: String
    private let descriptor: CInt
    private var unkept: Int64 = 0
    private var keeping: Task<Void, any Error>?
    /// True once a state could not be kept: another `fsync` may succeed although bytes were lost.
    private var isDoubtful = false
    private var isOver = false

    private var statePath: String { path + ".json" }

    /// Opens the file of a download, or creates it; no other download may have it open.
    init(for target: String) throws(RestClientError) {
        self.target = target
        path = target + ".partial"
        var information = stat()
        if unsafe stat(target, &information) == 0, information.st_mode & S_IFMT == S_IFDIR {
            throw Self.failure(target, "cannot be written", OpenFile.reason(EISDIR))
        }
        for _ in 0..<Self.openingLimit {
            guard let (descriptor, isNew) = try Self.locked(path, for: target) else {
                continue
            }
            // Another download may have moved it to its place before the lock was free: leave those bytes alone.
            let isThere = Self.isLinked(descriptor, path)
            if isThere, isNew || OwnFile.isOwn(descriptor, at: path) {
                self.descriptor = descriptor
                return
            }
            let isGone = unsafe !isThere || unlink(path) == 0 || errno == ENOENT
            let number = errno
            close(descriptor)
            guard isGone else {
                let reason = OpenFile.reason(number)
                throw Self.failure(path, "could have been written by others, and cannot be removed", reason)
            }
        }
        throw Self.failure(path, "cannot be written", "others replace it all the time")
    }

    /// Opens a file, or creates it, and takes its lock; returns `nil` if it vanishes meanwhile.
    private static func locked(
        _ path: String,
        for target: String
    ) throws(RestClientError) -> (descriptor: CInt, isNew: Bool)? {
        // A link in the way could lead to any file of the user's, and a pipe would block.
        let flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        var descriptor = unsafe open(path, flags | O_CREAT | O_EXCL, 0o600)
        let isNew = descriptor >= 0
        if !isNew, errno == EEXIST {
            descriptor = unsafe open(path, flags)
            if descriptor < 0, errno == ENOENT {
                return nil
            }
        }
        guard descriptor >= 0 else {
            throw failure(path, "cannot be written", errno == ELOOP ? "it is a symbolic link" : OpenFile.reason(errno))
        }
        guard OwnFile.information(descriptor).map({ $0.st_mode & S_IFMT == S_IFREG }) ?? false else {
            close(descriptor)
            throw failure(path, "cannot be written", "it is not a regular file")
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw RestClientError(.fileNotWritten, "'\(FileRange(target).name)' is being downloaded already")
        }
        return (descriptor, isNew)
    }

    private static func isLinked(_ descriptor: CInt, _ path: String) -> Bool {
        var linked = stat()
        guard let opened = OwnFile.information(descriptor), unsafe lstat(path, &linked) == 0 else {
            return false
        }
        return opened.st_ino == linked.st_ino && opened.st_dev == linked.st_dev
    }

    deinit {
        // A process that is just being started has a copy of the descriptor, which would hold the lock until it runs.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    func state(of source: String) -> DownloadState {
        guard let information = OwnFile.information(descriptor),
            let bytes = OwnFile.bytes(at: statePath, upTo: Self.stateLimit),
            let state = try? JSONDecoder().decode(DownloadState.self, from: bytes)
        else {
            return DownloadState(source: source)
        }
        return state.limited(to: Int64(information.st_size), of: source)
    }

    func write(_ bytes: Data, at position: Int64) throws(RestClientError) {
        try Self.write(bytes, to: descriptor, at: position, of: target)
        unkept += Int64(bytes.count)
    }

    private static func write(
        _ bytes: Data,
        to descriptor: CInt,
        at position: Int64,
        of path: String
    ) throws(RestClientError) {
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[written...])
                return unsafe pwrite(descriptor, rest.baseAddress, rest.count, off_t(position) + off_t(written))
            }
            guard count > 0 || count < 0 && errno == EINTR else {
                throw failure(path, "cannot be written")
            }
            written += max(0, count)
        }
    }

    /// Keeps the state if enough was written since, while the download goes on.
    ///
    /// One state is on its way at a time, so that a disk that is slower than the network slows the download.
    func keepIfDue(_ state: DownloadState) async throws {
        guard unkept >= Self.keepInterval else {
            return
        }
        try await settle()
        beginKeeping(state)
    }

    func keep(_ state: DownloadState) async throws {
        try await settle()
        guard !isOver else {
            return
        }
        beginKeeping(state)
        try await settle()
    }

    /// Keeps the state after a failure; drops everything if no download could resume from it.
    func leave(_ state: DownloadState) async {
        try? await settle()
        guard !isOver else {
            return
        }
        guard !state.received.isEmpty, state.validator != nil else {
            discard()
            return
        }
        if !isDoubtful {
            try? await keep(state)
        }
        // The last state that was kept says less, and is still true.
        if isDoubtful, unsafe access(statePath, F_OK) != 0 {
            discard()
        }
    }

    private func beginKeeping(_ state: DownloadState) {
        unkept = 0
        keeping = Task { [descriptor, target, statePath] in
            try await NIOThreadPool.singleton.runIfActive {
                try PartialFile.synchronize(descriptor, target)
                try PartialFile.write(state, to: statePath)
            }
        }
    }

    private func settle() async throws {
        guard let keeping else {
            return
        }
        self.keeping = nil
        do {
            try await keeping.value
        } catch {
            isDoubtful = true
            throw error
        }
    }

    private static func write(_ state: DownloadState, to statePath: String) throws(RestClientError) {
        let next = statePath + ".new"
        // Whatever lies there is from a process that ended in between, or a link to somewhere else.
        unsafe unlink(next)
        let descriptor = unsafe open(next, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw failure(statePath, "cannot be written")
        }
        defer { close(descriptor) }
        do throws(RestClientError) {
            // A state holds nothing that cannot be encoded.
            try write((try? JSONEncoder().encode(state)) ?? Data(), to: descriptor, at: 0, of: statePath)
            guard fsync(descriptor) == 0, unsafe rename(next, statePath) == 0 else {
                throw failure(statePath, "cannot be written")
            }
        } catch {
            unsafe unlink(next)
            throw error
        }
    }

    func truncate() async throws {
        // A state of the bytes that go would be taken for that of the bytes that come.
        try? await settle()
        isDoubtful = false
        try setLength(0)
        unsafe unlink(statePath)
        unkept = 0
    }

    /// Moves the file to its place, once its digests are right; with another digest, it is dropped.
    ///
    /// A large file takes a while to be read and to reach the disk, which no thread of the concurrency pool waits for.
    func finish(length: Int64, digests: [DigestField], checking check: () throws -> Void = {}) async throws {
        try await settle()
        try check()
        try setLength(length)
        for digest in digests {
            let actual = try await NIOThreadPool.singleton.runIfActive { [descriptor, target] in
                try Self.digest(digest.algorithm, of: descriptor, length, target)
            }
            guard actual == digest.value else {
                discard()
                throw RestClientError(
                    .digestMismatch,
                    "the \(digest.algorithm.rawValue) digest of '\(FileRange(target).name)' is not the one that was "
                        + "given; the bytes are dropped"
                )
            }
        }
        try Task.checkCancellation()
        try check()
        try await NIOThreadPool.singleton.runIfActive { [descriptor, target] in
            try Self.synchronize(descriptor, target)
        }
        try Task.checkCancellation()
        try check()
        guard unsafe rename(path, target) == 0 else {
            throw Self.failure(target, "cannot be written")
        }
        unsafe unlink(statePath)
        isOver = true
    }

    private static func synchronize(_ descriptor: CInt, _ target: String) throws(RestClientError) {
        guard fsync(descriptor) == 0 else {
            throw failure(target, "cannot be written")
        }
    }

    private func discard() {
        isOver = true
        unsafe unlink(path)
        unsafe unlink(statePath)
    }

    private func setLength(_ length: Int64) throws(RestClientError) {
        guard ftruncate(descriptor, off_t(length)) == 0 else {
            throw Self.failure(target, "cannot be written")
        }
    }

    private static func digest(
        _ algorithm: DigestField.Algorithm,
        of descriptor: CInt,
        _ length: Int64,
        _ target: String
    ) throws(RestClientError) -> Data {
        switch algorithm {
        case .sha256: try digest(SHA256(), of: descriptor, length, target)
        case .sha512: try digest(SHA512(), of: descriptor, length, target)
        }
    }

    private static func digest(
        _ function: some HashFunction,
        of descriptor: CInt,
        _ length: Int64,
        _ target: String
    ) throws(RestClientError) -> Data {
        var function = function
        var position: Int64 = 0
        var piece = Data(count: pieceSize)
        while position < length {
            let count = unsafe piece.withUnsafeMutableBytes { buffer in
                unsafe pread(descriptor, buffer.baseAddress, buffer.count, off_t(position))
            }
            guard count > 0 || count < 0 && errno == EINTR else {
                throw failure(target, "cannot be read")
            }
            function.update(data: piece.prefix(max(0, count)))
            position += Int64(max(0, count))
        }
        return Data(function.finalize())
    }

    private static func failure(_ path: String, _ what: String, _ reason: String? = nil) -> RestClientError {
        let reason = reason ?? OpenFile.reason(errno)
        return RestClientError(.fileNotWritten, "the file '\(FileRange(path).name)' \(what): \(reason)")
    }
}

/// Files that only the user of this process can have written.
///
/// In a folder that several users may write to, another user may have made what is there: a file with rights for all,
/// a second name of some other file, or a pipe.
enum OwnFile {
    /// Returns true if an open file is a regular one, belongs to the user of this process, has one name, and gives
    /// others no rights; false for one that another user may have written.
    ///
    /// Rights of others are taken away. Then it is not such a file all the same, because others may have changed it, or
    /// have it open; unless its file system has no rights to take.
    ///
    /// Some mounts give all files one owner, as those of CIFS and FAT with `uid=0` do. There, a file that this process
    /// creates has that owner too, so the files of different users cannot be distinguished.
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

    static func information(_ descriptor: CInt) -> stat? {
        var information = stat()
        return unsafe fstat(descriptor, &information) == 0 ? information : nil
    }
}
