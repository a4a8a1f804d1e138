// SPDX-License-Identifier: MIT

import RestEssentials
import Synchronization

/// Calls the handlers of a node whose response is not decoded: it is read as it arrives, or goes to a file.
///
/// Each is called at most once. Those for responses are not called, because they take the model.
final class TransferCallbacks: Sendable {
    private struct State {
        var hasEnded = false
        var ending: Task<Void, Never>?
    }

    /// Takes the progress; `nil` if no handler wants it.
    let report: ProgressSinks.Handler?

    private let onStart: (@Sendable () -> Void)?
    private let handler: @Sendable (any Error, FailureClass?) -> (@Sendable () -> Void)?
    private let place: CallbackPlace?
    private let progress: LatestDelivery<CallProgress.Direction, CallProgress>?
    private let closed: @Sendable () -> Void
    private let state = Mutex(State())

    /// Creates the callbacks of one transfer; `closed` is called once, after the last handler has returned.
    init<Model>(_ callbacks: RequestCallbacks<Model>, closed: @escaping @Sendable () -> Void = {}) {
        progress = callbacks.progress()
        report = progress?.report
        onStart = callbacks.onStart
        place = callbacks.place
        handler = { callbacks.handler(of: .failure($0), failureClass: $1, hasEarly: false) }
        self.closed = closed
    }

    func start() async {
        await CallbackPlace.call(onStart, at: place)
    }

    /// Records the end, and calls the handler for an error by the class of the one that mappers replaced; again, this
    /// does nothing.
    ///
    /// The handler runs in a separate task: the end may be found where no code of the user must run, such as in a
    /// `deinit`.
    func end(_ error: (any Error)?, _ failureClass: FailureClass? = nil) {
        progress?.close()
        let handle = error.flatMap { handler($0, $0 is CancellationError ? nil : failureClass) }
        let isFirst = state.withLock { state in
            guard !state.hasEnded else {
                return false
            }
            state.hasEnded = true
            // It is only queued here: the reader of the body, or the download, waits for it.
            state.ending = handle.map { handle in
                Task { [place, closed] in
                    await CallbackPlace.call(handle, at: place)
                    closed()
                }
            }
            return true
        }
        if isFirst, handle == nil {
            closed()
        }
    }

    func ended() async {
        if let ending = state.withLock({ $0.ending }) {
            await ending.value
        }
    }
}

/// Delivers the end of a body once the handlers for it have returned.
final class TransferSource: ByteSource {
    private let base: any ByteSource
    private let transfer: TransferCallbacks

    init(_ base: any ByteSource, _ transfer: TransferCallbacks) {
        self.base = base
        self.transfer = transfer
    }

    func next() async throws -> Data? {
        do {
            if let chunk = try await base.next() {
                return chunk
            }
        } catch {
            await transfer.ended()
            throw error
        }
        await transfer.ended()
        return nil
    }

    func cancel() {
        base.cancel()
    }
}
