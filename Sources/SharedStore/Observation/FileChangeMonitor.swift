// SPDX-License-Identifier: MIT

import RestEssentials
import Synchronization

/// Calls handlers when any process signals a file (by setting its timestamps).
///
/// A process that dies before it could signal closes the file, which counts as a signal.
///
/// One monitor, with one thread, serves the whole process: a store costs a descriptor, not a thread. After a callback
/// it pauses for a few milliseconds, so that a busy writer does not cause a callback for each commit.
final class FileChangeMonitor: Sendable {
    static let shared = FileChangeMonitor()

    /// The pause after the callbacks, during which further signals are merged into one.
    static let restMilliseconds: Int32 = 5

    private struct Handler {
        let watch: FileWatchEngine.Watch
        let call: @Sendable () -> Void
    }

    private let handlers = Mutex(Slab<Handler>())
    private let engine = FileWatchEngine()

    private init() {
        engine.start { [unowned self] watch in self.signalled(watch) }
    }

    /// Calls the handler after signals, on the monitor's thread, one call at a time, until the token is released.
    ///
    /// - Returns: The token; `nil` if the file cannot be watched. Its observers must then rely on other means.
    func observe(_ path: String, _ handler: @escaping @Sendable () -> Void) -> ReleaseOnce? {
        // The lock covers watching and unwatching, because two observers of one file share its watch.
        let place = handlers.withLock { handlers in
            engine.add(path).map { handlers.insert(Handler(watch: $0, call: handler)) }
        }
        guard let place else {
            return nil
        }
        return ReleaseOnce { [self] in
            handlers.withLock { handlers in
                if let watch = handlers.remove(at: place)?.watch, !handlers.all.contains(where: { $0.watch == watch }) {
                    engine.remove(watch)
                }
            }
        }
    }

    private func signalled(_ watch: FileWatchEngine.Watch) {
        for handler in handlers.withLock({ $0.all }) where handler.watch == watch { handler.call() }
    }
}
