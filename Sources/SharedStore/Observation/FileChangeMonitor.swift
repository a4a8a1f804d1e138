// SPDX-License-Identifier: MIT

import RestEssentials
import Synchronization

/// Calls handlers when a file was signalled (its timestamps were set) by any process.
///
/// A process that dies before it could signal closes the file, which counts as a signal.
///
/// One monitor, with one thread, serves the whole process: a store costs a descriptor, not a thread. After a callback
/// it rests for a few milliseconds, so that a busy writer does not cause a callback for each commit.
final class FileChangeMonitor: Sendable {
    static let shared = FileChangeMonitor()

    /// The pause after the callbacks, during which further signals are merged into one.
    static let restMilliseconds: Int32 = 5

    private struct State {
        var handlers: [Int: (watch: FileWatchEngine.Watch, call: @Sendable () -> Void)] = [:]
        var nextToken = 0
    }

    private let state = Mutex(State())
    private let engine = FileWatchEngine()

    private init() {
        engine.start { [unowned self] watch in self.signalled(watch) }
    }

    /// Calls the handler after signals, on the monitor's thread, one call at a time, until the token is released.
    ///
    /// - Returns: The token; `nil` if the file cannot be watched. Its observers must then rely on other means.
    func observe(_ path: String, _ handler: @escaping @Sendable () -> Void) -> ReleaseOnce? {
        // Watching and unwatching happen under the lock, as two observers of one file share its watch.
        let registration = state.withLock { state -> (number: Int, watch: FileWatchEngine.Watch)? in
            guard let watch = engine.add(path) else {
                return nil
            }
            state.nextToken += 1
            state.handlers[state.nextToken] = (watch, handler)
            return (state.nextToken, watch)
        }
        guard let registration else {
            return nil
        }
        return ReleaseOnce { [self] in
            state.withLock { state in
                state.handlers[registration.number] = nil
                guard !state.handlers.values.contains(where: { $0.watch == registration.watch }) else {
                    return
                }
                engine.remove(registration.watch)
            }
        }
    }

    private func signalled(_ watch: FileWatchEngine.Watch) {
        let calls = state.withLock { state in
            state.handlers.values.filter { $0.watch == watch }.map(\.call)
        }
        for call in calls { call() }
    }
}
