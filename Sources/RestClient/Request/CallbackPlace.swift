// SPDX-License-Identifier: MIT

/// The place where the handlers of a call run, such as an actor or a queue.
struct CallbackPlace: Sendable {
    let perform: @Sendable (@escaping @Sendable () -> Void) -> Void

    /// Runs a handler, and waits until it has returned.
    func run(_ handler: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { continuation in
            perform {
                handler()
                continuation.resume()
            }
        }
    }
}

extension CallbackPlace {
    /// Runs handlers on an actor.
    init(_ actor: any Actor) {
        self.init { work in
            Task { await Self.run(work, on: actor) }
        }
    }

    private static func run(_ work: @Sendable () -> Void, on actor: isolated any Actor) {
        work()
    }
}
