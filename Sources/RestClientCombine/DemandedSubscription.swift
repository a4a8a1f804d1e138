// SPDX-License-Identifier: MIT

#if canImport(Combine) || OpenCombine

#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif
import Synchronization

/// A subscription whose work runs in a separate task, from the first demand until its end.
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

struct DemandStateMachine {
    typealias Waiter = CheckedContinuation<Bool, Never>

    enum Action {
        case none
        case start
        case resume(Waiter, isDemanded: Bool)
        case cancel(Task<Void, Never>?, Waiter?)
    }

    private var demand = Subscribers.Demand.none
    private var hasStarted = false
    private var isOver = false
    private var task: Task<Void, Never>?
    /// The task, while it has a value and there is no demand.
    private var waiter: Waiter?

    mutating func request(_ more: Subscribers.Demand) -> Action {
        guard !isOver, more > .none else {
            return .none
        }
        demand += more
        guard hasStarted else {
            hasStarted = true
            return .start
        }
        guard let waiter else {
            return .none
        }
        self.waiter = nil
        demand -= 1
        return .resume(waiter, isDemanded: true)
    }

    mutating func started(_ task: Task<Void, Never>) -> Action {
        guard !isOver else {
            return .cancel(task, nil)
        }
        self.task = task
        return .none
    }

    /// Takes one from the demand, or parks the waiter until there is some.
    mutating func wait(_ waiter: Waiter) -> Action {
        guard !isOver else {
            return .resume(waiter, isDemanded: false)
        }
        guard demand > .none else {
            self.waiter = waiter
            return .none
        }
        demand -= 1
        return .resume(waiter, isDemanded: true)
    }

    mutating func finish() -> Bool {
        guard !isOver else {
            return false
        }
        isOver = true
        task = nil
        return true
    }

    mutating func cancel() -> Action {
        guard !isOver else {
            return .none
        }
        isOver = true
        defer {
            task = nil
            waiter = nil
        }
        return .cancel(task, waiter)
    }
}

/// A publisher that starts its work once for each subscription.
struct ColdPublisher<Output: Sendable, Failure: Error>: Publisher {
    typealias Work = DemandedSubscription<Output, Failure>.Work

    /// Prepares the work of a subscription when it is made, before anything is demanded.
    private let prepare: @Sendable () -> Work

    init(_ prepare: @escaping @Sendable () -> Work) {
        self.prepare = prepare
    }

    /// Creates a publisher of sequences, each made for one subscription.
    init<Values: AsyncSequence & Sendable>(of values: @escaping @Sendable () -> Values)
    where Values.Element == Output, Values.Failure == Failure {
        self.init {
            let values = values()
            return { (subscription) async throws(Failure) in
                for try await value in values {
                    guard await subscription.send(value) else {
                        return
                    }
                }
            }
        }
    }

    func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        DemandedSubscription(AnySubscriber(subscriber), prepare()).subscribe()
    }
}

#endif
