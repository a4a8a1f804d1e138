// SPDX-License-Identifier: MIT

import RestEssentials
import Synchronization

/// The place where the handlers of a call run, such as an actor or a queue.
struct CallbackPlace: Sendable {
    /// Runs work at the place: once, or never if the place drops it.
    let perform: @Sendable (@escaping @Sendable () -> Void) -> Void

    /// Creates a place from a closure that may be code of the user, which runs the work twice, or never.
    init(perform: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) {
        self.perform = { work in
            let work = Work(work)
            perform { work.run() }
        }
    }

    /// Runs a handler, and waits until it has returned, or has been dropped.
    func run(_ handler: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { continuation in
            let end = ReleaseOnce { continuation.resume() }
            perform {
                handler()
                end.release()
            }
        }
    }

    /// Runs a handler at a place, or in place if there is none, and waits until it has returned.
    static func call(_ handler: (@Sendable () -> Void)?, at place: CallbackPlace?) async {
        guard let handler else {
            return
        }
        if let place {
            await place.run(handler)
        } else {
            handler()
        }
    }

    /// Work that is run at most once.
    private final class Work: Sendable {
        private let work: Mutex<(@Sendable () -> Void)?>

        init(_ work: @escaping @Sendable () -> Void) {
            self.work = Mutex(work)
        }

        /// Runs the work, unless it has been run, or is running.
        func run() {
            let work = work.withLock { $0.take() }
            work?()
        }
    }
}

extension CallbackPlace {
    init(_ actor: any Actor) {
        self.init { work in
            Task { await Self.run(work, on: actor) }
        }
    }

    private static func run(_ work: @Sendable () -> Void, on actor: isolated any Actor) {
        work()
    }
}
