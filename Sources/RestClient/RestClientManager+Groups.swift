// SPDX-License-Identifier: MIT

import Synchronization

extension RestClientManager {
    /// Runs jobs at once and waits for all their results, each in its own type.
    ///
    /// ```swift
    /// let (user, carts) = try await manager.concurrently(userNode, cartsNode)
    /// ```
    ///
    /// How many run at the same time is for the worker pool to say. The first failure cancels the others.
    ///
    /// - Parameter jobs: Requests, local jobs, or jobs of your own.
    /// - Returns: The results, in the order of the jobs.
    /// - Throws: What the first job to fail throws; `CancellationError` when the task is cancelled.
    @concurrent
    public func concurrently<each Work: Job>(_ jobs: repeat each Work) async throws -> (repeat (each Work).Output) {
        let slots = (repeat Self.slot(for: each jobs))
        let context = beginGroup(count: Self.count(repeat each jobs))
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (job, slot) in repeat (each jobs, each slots) {
                    group.addTask { slot.fill(try await job.run(in: context)) }
                }
                // Not waitForAll(), which lets the others run to their end before it throws.
                while try await group.next() != nil {}
            }
        } catch {
            endGroup(context, isStopped: false)
            throw error
        }
        endGroup(context, isStopped: false)
        return (repeat try (each slots).take())
    }

    /// Runs jobs of one type at once and waits for all of them, whatever becomes of each.
    ///
    /// - Parameter jobs: Any number of them; none is fine.
    /// - Returns: How each ended, in the order of the jobs. When the task is cancelled, that is how they ended too.
    @concurrent
    public func concurrently<Work: Job>(_ jobs: [Work]) async -> GroupReport<Work.Output> {
        await concurrently(jobs.count) { index, context in try await jobs[index].run(in: context) }
    }

    /// Runs jobs of different types at once and waits for all of them, whatever becomes of each.
    ///
    /// - Parameter jobs: Any number of them; none is fine.
    /// - Returns: How each ended, in the order of the jobs. When the task is cancelled, that is how they ended too.
    @concurrent
    @_disfavoredOverload
    public func concurrently(_ jobs: [any Job]) async -> GroupReport<any Sendable> {
        await concurrently(jobs.count) { index, context in try await jobs[index].run(in: context) }
    }

    /// Runs jobs one after the other; each sees the result of the one before.
    ///
    /// ```swift
    /// let orders = RequestNode(.orders).handover { node, previous in
    ///     node.bearer(try previous.value(as: Token.self).value)
    /// }
    /// let report = await manager.serially([login, orders, save])
    /// ```
    ///
    /// - Parameters:
    ///   - jobs: Any number of steps; none is fine.
    ///   - stopsOnFailure: Whether the steps after a failed one are left out; `true` by default. When `false`, the next
    ///     step is handed the failure.
    /// - Returns: How each step ended, in order. Steps that were never started are ``JobOutcome/notRun``; when the task is
    ///   cancelled, the step that ran then is ``JobOutcome/cancelled``, and the others are not run.
    @concurrent
    public func serially(_ jobs: [any Job], stopsOnFailure: Bool = true) async -> GroupReport<any Sendable> {
        let context = beginGroup(count: jobs.count)
        var outcomes: [JobOutcome<any Sendable>] = []
        outcomes.reserveCapacity(jobs.count)
        for job in jobs {
            let step = JobContext(manager: self, groupID: context.groupID, previous: PreviousResult(outcomes.last))
            let outcome = await Self.outcome(of: job, in: step)
            outcomes.append(outcome)
            let stops = stopsOnFailure && !outcome.isSuccess
            if stops || Task.isCancelled {
                break
            }
        }
        let isStopped = outcomes.count < jobs.count
        outcomes += Array(repeating: .notRun, count: jobs.count - outcomes.count)
        endGroup(context, isStopped: isStopped)
        return GroupReport(id: context.groupID ?? .next(), outcomes: outcomes)
    }
}

// MARK: - Parts

extension RestClientManager {
    private func concurrently<Output: Sendable>(
        _ count: Int,
        _ run: @escaping @Sendable (Int, JobContext) async throws -> Output
    ) async -> GroupReport<Output> {
        let context = beginGroup(count: count)
        let outcomes = await withTaskGroup(of: (Int, JobOutcome<Output>).self) { group in
            for index in 0..<count {
                group.addTask {
                    (index, await JobOutcome.of { try await run(index, context) })
                }
            }
            var outcomes = [JobOutcome<Output>](repeating: .notRun, count: count)
            for await (index, outcome) in group {
                outcomes[index] = outcome
            }
            return outcomes
        }
        endGroup(context, isStopped: false)
        return GroupReport(id: context.groupID ?? .next(), outcomes: outcomes)
    }

    private func beginGroup(count: Int) -> JobContext {
        let id = GroupID.next()
        core.hub.emit(ClientEvent(.groupStarted(count: count), groupID: id))
        return JobContext(manager: self, groupID: id)
    }

    private func endGroup(_ context: JobContext, isStopped: Bool) {
        core.hub.emit(ClientEvent(.groupFinished(isStopped: isStopped), groupID: context.groupID))
    }

    private static func outcome<Work: Job>(of job: Work, in context: JobContext) async -> JobOutcome<any Sendable> {
        await JobOutcome<any Sendable>.of { try await job.run(in: context) }
    }

    private static func slot<Work: Job>(for job: Work) -> ResultSlot<Work.Output> {
        ResultSlot()
    }

    private static func count<each Work: Job>(_ jobs: repeat each Work) -> Int {
        var count = 0
        for _ in repeat each jobs {
            count += 1
        }
        return count
    }
}

/// Where a job of a tuple leaves its result.
private final class ResultSlot<Value: Sendable>: Sendable {
    private let value = Mutex<Value?>(nil)

    func fill(_ newValue: Value) {
        value.withLock { $0 = newValue }
    }

    /// The result; a job that ended without an error has left one.
    func take() throws -> Value {
        guard let value = value.withLock({ $0 }) else {
            throw CancellationError()
        }
        return value
    }
}
