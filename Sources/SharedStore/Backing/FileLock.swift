// SPDX-License-Identifier: MIT

import RestEssentials

/// An exclusive lock among all processes of the machine, and within one, which ends with its holder: a ``Lease`` of a
/// process that died would have to expire first.
///
/// The file is removed with the lock. After a crash it remains, which is harmless.
package final class FileLock: Sendable {
    private let hold: ReleaseOnce

    private init(path: String, descriptor: Int32) {
        hold = ReleaseOnce {
            // Removed before it is unlocked, because afterwards the file may belong to another holder.
            _ = unsafe unlink(path)
            _ = close(descriptor)
        }
    }

    /// Takes the lock; `nil` if it has another holder.
    ///
    /// The file is created if it does not exist, readable by its owner only; its folder must exist.
    package static func acquire(_ path: String) throws(StoreError) -> FileLock? {
        while true {
            let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard descriptor >= 0 else {
                throw SystemFile.failure(.cannotOpen, "the lock's file cannot be opened", path: path)
            }
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                let number = errno
                _ = close(descriptor)
                switch number {
                case EWOULDBLOCK: return nil
                case EINTR: continue
                default:
                    errno = number
                    throw SystemFile.failure(.inputOutput, "the file cannot be locked", path: path)
                }
            }
            // The previous holder may have removed the file between the two steps; in that case this lock is useless.
            if SystemFile.identity(of: descriptor) == SystemFile.identity(of: path) {
                return FileLock(path: path, descriptor: descriptor)
            }
            _ = close(descriptor)
        }
    }

    /// Takes the lock, as ``poll(until:_:)`` does; throws `busy` if another process kept it.
    static func acquire(
        _ path: String,
        by deadline: ContinuousClock.Instant,
        _ acquire: (String) throws(StoreError) -> FileLock? = { path throws(StoreError) in try FileLock.acquire(path) }
    ) throws(StoreError) -> FileLock {
        let lock = try poll(until: deadline) { () throws(StoreError) -> FileLock? in try acquire(path) }
        guard let lock else {
            throw StoreError(.busy, "another process keeps opening the file", file: path)
        }
        return lock
    }

    /// Repeats an attempt until it has a result; `nil` if it has none at the deadline.
    ///
    /// It blocks the thread, as SQLite does while it waits for a lock: the caller waits without being suspended.
    static func poll<Result, Failure: Error>(
        until deadline: ContinuousClock.Instant,
        _ attempt: () throws(Failure) -> Result?
    ) throws(Failure) -> Result? {
        while true {
            if let result = try attempt() { return result }
            guard ContinuousClock.now < deadline else {
                return nil
            }
            _ = usleep(1000)
        }
    }

    /// Calling it again does nothing.
    package func release() {
        hold.release()
    }
}
