// SPDX-License-Identifier: MIT

import Synchronization

extension JobRunner {
    /// Runs jobs at once and waits for all their results, each in its own type.
    ///
    /// ```swift
    /// let (user, carts) = try await manager.concurrently(userNode, cartsNode)
    /// ```
    ///
    /// The worker pool limits how many run at the same time. The first failure cancels the others.
    ///
    /// - Parameter jobs: Requests, local jobs, or jobs of your own.
    /// - Returns: The results, in the order of the jobs.
    /// - Throws: What the first job to fail throws; `CancellationError` when the task is cancelled.
    @concurrent
    public func concurrently<each Work: Job>(_ jobs: repeat each Work) async throws -> (repeat (each Work).Output) {
        var members: [any Job] = []
        for job in repeat each jobs {
            members.append(job)
        }
        return try await JobGroup(members: members, host: jobHost, onFailure: .cancel).results(of: repeat each jobs)
    }

    /// Runs jobs of one type at once and waits until all have ended, with or without success.
    ///
    /// - Parameter jobs: Any number of them; none is fine.
    /// - Returns: How each ended, in the order of the jobs. When the task is cancelled, that is how they ended too; one
    ///   that had not begun is ``JobOutcome/notRun``.
    @concurrent
    public func concurrently<Work: Job>(_ jobs: [Work]) async -> GroupReport<Work.Output> {
        await JobGroup(members: jobs, host: jobHost).report(of: Work.Output.self)
    }

    /// Runs jobs of different types at once and waits until all have ended, with or without success.
    ///
    /// - Parameter jobs: Any number of them; none is fine.
    /// - Returns: How each ended, in the order of the jobs. When the task is cancelled, that is how they ended too; one
    ///   that had not begun is ``JobOutcome/notRun``.
    @concurrent
    @_disfavoredOverload
    public func concurrently(_ jobs: [any Job]) async -> GroupReport<any Sendable> {
        let group = JobGroup(members: jobs, host: jobHost)
        return GroupReport(id: group.id, outcomes: await group.run().map(\.outcome))
    }

    /// Runs jobs one after the other, each of which sees the result of the one before, and gives all their results,
    /// each in its own type.
    ///
    /// ```swift
    /// let (token, orders) = try await manager.serially(login, ordersNode)
    /// ```
    ///
    /// - Parameter jobs: The steps: requests, local jobs, or jobs of your own.
    /// - Returns: The results, in the order of the steps.
    /// - Throws: What the first step to fail throws, and nothing behind it is started; `CancellationError` when the
    ///   task is cancelled.
    @concurrent
    public func serially<each Work: Job>(_ jobs: repeat each Work) async throws -> (repeat (each Work).Output) {
        var members: [any Job] = []
        for job in repeat each jobs {
            members.append(job)
        }
        return try await JobGroup(members: members, host: jobHost, chain: .success).results(of: repeat each jobs)
    }

    /// Runs jobs of one type one after the other; each sees the result of the one before.
    ///
    /// - Parameters:
    ///   - jobs: Any number of steps; none is fine.
    ///   - stopsOnFailure: Whether the steps after a failed one are left out; `true` by default. When `false`, the next
    ///     step receives the failure.
    /// - Returns: How each step ended, in order. Steps that were never started are ``JobOutcome/notRun``; when the task
    ///   is cancelled, the step that ran then is ``JobOutcome/cancelled``, and the others are not run.
    @concurrent
    public func serially<Work: Job>(_ jobs: [Work], stopsOnFailure: Bool = true) async -> GroupReport<Work.Output> {
        await JobGroup(members: jobs, host: jobHost, chain: stopsOnFailure ? .success : .end)
            .report(of: Work.Output.self)
    }

    /// Runs jobs of different types one after the other; each sees the result of the one before.
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
    ///     step receives the failure.
    /// - Returns: How each step ended, in order. Steps that were never started are ``JobOutcome/notRun``; when the task
    ///   is cancelled, the step that ran then is ``JobOutcome/cancelled``, and the others are not run.
    @concurrent
    @_disfavoredOverload
    public func serially(_ jobs: [any Job], stopsOnFailure: Bool = true) async -> GroupReport<any Sendable> {
        let group = JobGroup(members: jobs, host: jobHost, chain: stopsOnFailure ? .success : .end)
        return GroupReport(id: group.id, outcomes: await group.run().map(\.outcome))
    }
}
