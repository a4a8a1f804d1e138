// SPDX-License-Identifier: MIT

import RestEssentials
import Synchronization

/// Runs an operation once for all concurrent callers, in a separate task, which is cancelled when the last caller has
/// left.
final class SingleFlight<Key: Hashable & Sendable, Event: Sendable, Value: Sendable>: Sendable {
    private typealias Machine = SingleFlightStateMachine<Key, Event, Value>
    private typealias Callers = Waiters<Machine.CallerID, Machine.Delivery?>

    struct Shared: Sendable {
        var value: Value
        /// The action that must run once, for one of the callers; until then, new callers receive the same value.
        var duty: ReleaseOnce?
    }

    /// Takes what an operation reports while it runs.
    struct Reports: Sendable {
        let event: @Sendable (Event) -> Void
        /// Takes the number of worker slots that the operation now holds in addition.
        let slots: @Sendable (Int) -> Void

        func callAsFunction(_ event: Event) { self.event(event) }
    }

    typealias Operation = @Sendable (Reports) async throws -> Value

    private struct State {
        var machine = Machine()
        var callers = Callers()
        var tasks: [UInt64: Task<Void, Never>] = [:]
    }

    private let state = Mutex(State())

    /// Makes a decision under the lock, and releases values that are no longer needed after unlocking.
    private func decide<Decision: Sendable>(_ body: (inout State) -> Decision) -> Decision {
        let (decision, results) = state.withLock { state in (body(&state), state.machine.takeUnneeded()) }
        withExtendedLifetime(results) {}
        return decision
    }

    /// The number of flights in progress, and of waiting callers.
    var counts: (flights: Int, waiting: Int) {
        state.withLock { ($0.machine.counts.flights, $0.callers.count) }
    }

    /// Runs the operation, or waits for the run in progress; one of the callers must also release the flight.
    ///
    /// The relay receives the events of the operation, on the caller's own task, while the caller is the leader. The
    /// result is `nil` for a caller that keeps a worker slot if the run holds none, and so might wait for that one.
    func run(
        _ key: Key,
        keepingSlot keepsSlot: Bool = false,
        relay: (Event) -> Void,
        _ operation: @escaping Operation
    ) async throws -> Shared? {
        try Task.checkCancellation()
        let caller: UInt64
        switch decide({ keepsSlot ? $0.machine.joinInSlot(key) : $0.machine.join(key) }) {
        case nil:
            return nil
        case .take(let value):
            return Shared(value: value)
        case .wait(let id):
            caller = id
        case .start(let flight, let id):
            caller = id
            start(flight, operation)
        }
        while let delivery = await Callers.wait(park: { park(caller, $0) }, onCancel: { leave(caller) }) {
            switch delivery {
            case .event(let event):
                relay(event)
            case .end(let result, let flight, let isLeader):
                return Shared(value: try result.get(), duty: isLeader ? duty(of: flight) : nil)
            }
        }
        for event in decide({ $0.machine.takeUnheard(of: caller) }) {
            relay(event)
        }
        throw CancellationError()
    }

    package func waitForWaiters(count: Int) async {
        await withCheckedContinuation { continuation in
            state.withLock { $0.callers.watch(for: count, continuation) }
        }
    }

    // MARK: - Callers

    /// Parks a caller unless a delivery is available for it, or it has left.
    private func park(_ caller: UInt64, _ continuation: Callers.Continuation) -> Machine.Delivery?? {
        decide { state -> Machine.Delivery?? in
            if let delivery = state.machine.next(for: caller) {
                return .some(delivery)
            }
            guard state.machine.isMember(caller) else {
                return .some(nil)
            }
            return state.callers.park(caller, continuation)
        }
    }

    private func leave(_ caller: UInt64) -> Callers.Wakeup? {
        let (wakeup, task) = decide { state in
            let flight = state.machine.leave(caller)
            return (
                state.callers.withdraw(caller, with: nil),
                flight.flatMap { state.tasks.removeValue(forKey: $0) }
            )
        }
        task?.cancel()
        return wakeup
    }

    private func duty(of flight: UInt64) -> ReleaseOnce {
        ReleaseOnce { [weak self] in
            self?.decide { $0.machine.release(flight) }
        }
    }

    // MARK: - Flights

    private func start(_ flight: UInt64, _ operation: @escaping Operation) {
        let reports = Reports(
            event: { self.post($0, on: flight) },
            slots: { count in self.decide { $0.machine.hold(count, on: flight) } }
        )
        let task = Task {
            let result: Result<Value, any Error>
            do {
                result = .success(try await operation(reports))
            } catch {
                result = .failure(error)
            }
            self.finish(flight, with: result)
        }
        // All callers may have left, or the flight may have ended, before the task was recorded.
        let isOver = state.withLock { state in
            guard state.machine.isUnderWay(flight) else {
                return true
            }
            state.tasks[flight] = task
            return false
        }
        if isOver {
            task.cancel()
        }
    }

    private func post(_ event: Event, on flight: UInt64) {
        decide { state in
            state.machine.post(event, on: flight)
                .flatMap { caller, delivery in state.callers.withdraw(caller, with: delivery) }
        }?
        .resume()
    }

    private func finish(_ flight: UInt64, with result: Result<Value, any Error>) {
        let wakeups = decide { state in
            state.tasks[flight] = nil
            return state.machine.finish(flight, with: result)
                .compactMap { caller, delivery in state.callers.withdraw(caller, with: delivery) }
        }
        for wakeup in wakeups {
            wakeup.resume()
        }
    }
}
