// SPDX-License-Identifier: MIT

import RestEssentials
import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The right to be the only one, among all processes of the machine, who does something; it ends with its holder.
///
/// The kernel gives the lock back when the process dies, however it dies. A ``Lease`` would have to expire first, and
/// whoever begins again after a crash would have to wait for that. Two locks of one process keep each other out like
/// those of two.
///
/// The file is removed with the lock, so that none lie about; after a crash it stays, and does no harm.
package final class FileLock: Sendable {
    private let path: String
    private let descriptor: Int32
    private let isReleased = Atomic<Bool>(false)

    private init(path: String, descriptor: Int32) {
        self.path = path
        self.descriptor = descriptor
    }

    deinit {
        release()
    }

    /// Takes the lock; `nil` when someone else holds it.
    ///
    /// - Parameter path: The file, whose folder must exist. It is made if it is missing, readable by its owner only.
    /// - Returns: The lock, which ends when it is released or let go of; `nil` when someone else holds it.
    /// - Throws: ``StoreError`` when the file cannot be opened or locked.
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
            // The holder before may have removed the file between the two steps; then this one locks nothing.
            if SystemFile.identity(of: descriptor) == SystemFile.identity(of: path) {
                return FileLock(path: path, descriptor: descriptor)
            }
            _ = close(descriptor)
        }
    }

    /// Gives the lock back; the second time it does nothing.
    package func release() {
        guard !isReleased.exchange(true, ordering: .acquiringAndReleasing) else {
            return
        }
        // Before it is unlocked: afterwards the file may be another one's.
        _ = unsafe unlink(path)
        _ = close(descriptor)
    }
}
