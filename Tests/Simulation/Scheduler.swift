// SPDX-License-Identifier: MIT

import RestEssentials
import Synchronization

/// Runs all tasks of the process on one thread, one job at a time, in an order that a seed decides and in virtual time.
///
/// A job is what a task does between two suspensions. Time passes only when no job is ready, or, in some seeds, at
/// random moments before that, as on a busy machine.
final class Scheduler: Sendable {
    /// The reason why a run ended.
    enum End: Sendable {
        /// No job is ready, and no event is expected.
        case idle
        /// The condition of the caller is met.
        case stopped
        /// There were more steps than allowed.
        case exhausted
    }

    /// Something that happens at an instant of virtual time.
    private struct Event {
        let instant: Duration
        let number: UInt64
        let isSleep: Bool
        let action: @Sendable () -> Void
    }

    private enum Order {
        case random
        case mostlyFirst
        case mostlyLast
    }

    private enum Step {
        case job(UnownedJob)
        case action(@Sendable () -> Void)
        case end(End)
    }

    private struct State {
        var generator = SplitMix64(seed: 0)
        var order = Order.random
        /// The part of the steps, in thousandths, in which time passes although a job is ready.
        var haste = 0
        var jobs: [UnownedJob] = []
        var events: [Event] = []
        var lastNumber: UInt64 = 0
        var now = Duration.zero
        var steps = 0
        var trace = Trace()

        mutating func next(limit: Int, passesTime: Bool) -> Step {
            guard steps < limit else {
                return .end(.exhausted)
            }
            steps += 1
            let isHasty = passesTime && haste > 0 && Int(generator.next() % 1_000) < haste
            if !jobs.isEmpty, !isHasty || events.isEmpty {
                return .job(takeJob())
            }
            guard passesTime, let event = takeEvent() else {
                return .end(.idle)
            }
            return .action(event.action)
        }

        private mutating func takeJob() -> UnownedJob {
            var index = Int(generator.next() % UInt64(jobs.count))
            switch order {
            case .random: break
            case .mostlyFirst: index = index % 8 == 0 ? index : 0
            case .mostlyLast: index = index % 8 == 0 ? index : jobs.count - 1
            }
            trace.add(UInt64(index) << 32 | UInt64(jobs.count))
            return jobs.remove(at: index)
        }

        /// Takes the next event; of those of one instant, any.
        private mutating func takeEvent() -> Event? {
            guard var best = events.indices.first else {
                return nil
            }
            for index in events.indices.dropFirst() where events[index].instant < events[best].instant {
                best = index
            }
            let event = events.remove(at: best)
            now = max(now, event.instant)
            trace.add(UInt64(bitPattern: now.wholeNanoseconds))
            return event
        }
    }

    /// The scheduler of the process: the runtime's hook has no place for another one.
    static let shared = Scheduler()

    private let state = Mutex(State())

    /// The executor that jobs without an actor believe to run on.
    private static let executor = unsafe unsafeBitCast((0, 0), to: UnownedSerialExecutor.self)

    /// Begins a simulation.
    func begin(seed: UInt64, traceLimit: Int) {
        state.withLock { state in
            state = State()
            state.generator = SplitMix64(seed: seed)
            state.trace.limit = traceLimit
            switch state.generator.next() % 4 {
            case 0: state.order = .mostlyFirst
            case 1: state.order = .mostlyLast
            default: state.order = .random
            }
            state.haste = state.generator.next() % 4 == 0 ? 20 : 0
        }
    }

    /// The virtual time since the beginning.
    var now: Duration { state.withLock { $0.now } }

    /// The number of steps since the beginning.
    var steps: Int { state.withLock { $0.steps } }

    /// True if time may pass while jobs are ready, so that nothing happens exactly when it is due.
    var isHasty: Bool { state.withLock { $0.haste > 0 } }

    /// The trace so far.
    var trace: Trace { state.withLock { $0.trace } }

    /// The number of tasks that sleep.
    var sleepers: Int { state.withLock { state in state.events.count { $0.isSleep } } }

    func enqueue(_ job: UnownedJob) {
        state.withLock { $0.jobs.append(job) }
    }

    /// Adds a line to the trace, if someone will read it.
    func note(_ line: @autoclosure () -> String) {
        guard state.withLock({ $0.trace.limit > 0 }) else {
            return
        }
        let line = line()
        state.withLock { $0.trace.add(line, at: $0.now) }
    }

    /// Adds what happened to the digest of the trace.
    func mark(_ number: Int) {
        state.withLock { $0.trace.add(UInt64(bitPattern: Int64(number))) }
    }

    /// Does something later; returns a number by which it can be cancelled.
    @discardableResult
    func after(_ delay: Duration, isSleep: Bool = false, _ action: @escaping @Sendable () -> Void) -> UInt64 {
        state.withLock { state in
            state.lastNumber += 1
            let instant = state.now + max(.zero, delay)
            state.events.append(
                Event(instant: instant, number: state.lastNumber, isSleep: isSleep, action: action)
            )
            return state.lastNumber
        }
    }

    func cancel(_ number: UInt64) {
        let event = state.withLock { state -> Event? in
            state.events.firstIndex { $0.number == number }.map { state.events.remove(at: $0) }
        }
        // What it holds is released outside the lock.
        withExtendedLifetime(event) {}
    }

    /// Runs jobs and events until there are none, or a condition is met; the condition is evaluated after each step.
    func run(limit: Int, passesTime: Bool = true, until isMet: () -> Bool = { false }) -> End {
        while true {
            switch state.withLock({ $0.next(limit: limit, passesTime: passesTime) }) {
            case .job(let job): unsafe job.runSynchronously(on: Self.executor)
            case .action(let action): action()
            case .end(let end): return end
            }
            if isMet() {
                return .stopped
            }
        }
    }
}
