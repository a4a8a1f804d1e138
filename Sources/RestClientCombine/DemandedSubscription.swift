// SPDX-License-Identifier: MIT

#if canImport(Combine) || OpenCombine

#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif
import Synchronization

/// A subscription whose work runs in a task of its own, from the first demand until its end.
///
/// Values are delivered one after the other by that task, never more than were demanded. Cancelling cancels the task.
final class DemandedSubscription<Output: Sendable, Failure: Error>: Subscription, Sendable {
    /// Sends the values; ends when there are no more, or when a value was not taken.
    typealias Work = @Sendable (DemandedSubscription) async throws(Failure) -> Void

    /// The subscriber, which its protocol does not declare as `Sendable`: `subscribe()` calls it, and then the task.
    nonisolated(unsafe) private let subscriber: AnySubscriber<Output, Failure>
    private let work: Work
    private let state = Mutex(DemandStateMachine())

    init(_ subscriber: AnySubscriber<Output, Failure>, _ work: @escaping Work) {
        unsafe self.subscriber = subscriber
        self.work = work
    }

    func subscribe() {
        unsafe subscriber.receive(subscription: self)
    }

    func request(_ demand: Subscribers.Demand) {
        perform(state.withLock { $0.request(demand) })
    }

    func cancel() {
        perform(state.withLock { $0.cancel() })
    }

    /// Waits until a value is demanded, and delivers it; false if the subscription was cancelled instead.
    func send(_ value: Output) async -> Bool {
        let isDemanded = await withCheckedContinuation { continuation in
            perform(state.withLock { $0.wait(continuation) })
        }
        guard isDemanded else {
            return false
        }
        let more = unsafe subscriber.receive(value)
        request(more)
        return true
    }

    private func run() async {
        do throws(Failure) {
            try await work(self)
            complete(.finished)
        } catch {
            complete(.failure(error))
        }
    }

    private func complete(_ completion: Subscribers.Completion<Failure>) {
        if state.withLock({ $0.finish() }) {
            unsafe subscriber.receive(completion: completion)
        }
    }

    private func perform(_ action: DemandStateMachine.Action) {
        switch action {
        case .none:
            break
        case .start:
            let task = Task { await run() }
            perform(state.withLock { $0.started(task) })
        case .resume(let waiter, let isDemanded):
            waiter.resume(returning: isDemanded)
        case .cancel(let task, let waiter):
            waiter?.resume(returning: false)
            task?.cancel()
        }
    }
}

#endif
