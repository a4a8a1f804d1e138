// SPDX-License-Identifier: MIT

import JobGraphs
import RestEssentials
import Synchronization

/// The user's closures that a node runs in addition to its request.
struct RequestHandlers<Model: Sendable>: Sendable {
    var rewrites: [ResultRewrite<Model>] = []

    /// Creates a copy of the node from the result of the previous step.
    var handover: (@Sendable (RequestNode<Model>, PreviousResult) async throws -> RequestNode<Model>)?

    var callbacks = RequestCallbacks<Model>()

    var isEmpty: Bool { rewrites.isEmpty && handover == nil && callbacks.isEmpty }

    /// Stores handlers by reference: most nodes have none, and a node without them must not pay for their types.
    final class Box: Sendable {
        let handlers: RequestHandlers

        init(_ handlers: RequestHandlers) {
            self.handlers = handlers
        }
    }
}

/// The handlers of a node, each called at most once for each of its calls.
struct RequestCallbacks<Model: Sendable>: Sendable {
    var onStart: (@Sendable () -> Void)?
    var onSuccess: (@Sendable (Response<Model>) -> Void)?
    var onCacheSuccess: (@Sendable (Response<Model>) -> Void)?
    var onNotModified: (@Sendable (Response<Model>) -> Void)?
    /// By the class of the failures; the one for `nil` is called for all others.
    var onError: [FailureClass?: @Sendable (any Error) -> Void] = [:]
    var onProgress: [ProgressSinks.Handler] = []

    /// Runs handlers at the place that the user chose; `nil` runs them in place.
    var place: CallbackPlace?

    var isEmpty: Bool {
        onStart == nil && onSuccess == nil && onCacheSuccess == nil && onNotModified == nil && onError.isEmpty
            && onProgress.isEmpty
    }

    /// Returns what delivers the progress of one call to its handlers; `nil` if there are none.
    func progress() -> LatestDelivery<CallProgress.Direction, CallProgress>? {
        guard !onProgress.isEmpty else {
            return nil
        }
        return LatestDelivery(at: place?.perform) { [onProgress] progress in
            for handler in onProgress {
                handler(progress)
            }
        }
    }

    /// Returns the handler for the result of a call; a specific one takes precedence over the general one.
    ///
    /// The class is that of an error that the user's handlers replaced.
    func handler(
        of result: Result<Response<Model>, any Error>,
        failureClass: FailureClass?,
        hasEarly: Bool
    ) -> (@Sendable () -> Void)? {
        switch result {
        case .success(let response):
            let special: (@Sendable (Response<Model>) -> Void)? =
                switch response.source {
                case .revalidatedCache: onNotModified
                case .cache where !hasEarly: onCacheSuccess
                default: nil
                }
            guard let handle = special ?? onSuccess else {
                return nil
            }
            return { handle(response) }
        case .failure(let error):
            let special = error is CancellationError ? onError[.cancelled] : nil
            guard let handle = special ?? onError[failureClass ?? FailureClass(of: error)] ?? onError[nil] else {
                return nil
            }
            return { handle(error) }
        }
    }
}

extension LatestDelivery<CallProgress.Direction, CallProgress> {
    var report: ProgressSinks.Handler {
        { self.send($0, for: $0.direction) }
    }
}

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
