// SPDX-License-Identifier: MIT

#if canImport(Combine) || OpenCombine

#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif

/// Decides when the work of a subscription begins, waits and ends.
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

    /// Keeps the task, so that it can be cancelled.
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

    /// Ends the subscription; returns true if it had not ended before.
    mutating func finish() -> Bool {
        guard !isOver else {
            return false
        }
        isOver = true
        task = nil
        return true
    }

    /// Ends the subscription without a completion.
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

#endif
