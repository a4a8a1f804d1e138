// SPDX-License-Identifier: MIT

import Synchronization

extension JobRunner {
    /// Runs jobs concurrently and waits for all their results, each in its own type.
    ///
    /// ```swift
    /// let (rows, rates) = try await runtime.concurrently(readRows, readRates)
    /// ```
    ///
    /// The worker pool limits how many run at the same time. The first failure cancels the others.
    ///
    /// - Parameters:
    ///   - jobs: Local jobs, or jobs of your own.
    ///   - id: The identifier of the group, made ahead to observe or cancel it; a new one by default.
    ///   - onEnd: Receives the report of the group, whether or not it succeeded; none by default.
    /// - Returns: The results, in the order of the jobs.
    /// - Throws: The error of the first job to fail; `CancellationError` when the task is cancelled.
    @concurrent
    public func concurrently<each Work: Job>(
        _ jobs: repeat each Work,
        id: GroupID? = nil,
        onEnd: (@Sendable (GroupReport<any Sendable>) -> Void)? = nil
    ) async throws -> (repeat (each Work).Output) {
        var members: [any Job] = []
        for job in repeat each jobs {
            members.append(job)
        }
        return try await JobGroup(members: members, host: jobHost, id: id, onFailure: .cancel)
            .results(of: repeat each jobs, onEnd: onEnd)
    }

    /// Runs jobs of one type concurrently and waits until all have ended, with or without success.
    ///
    /// ```swift
    /// let report = await runtime.concurrently(copies, limit: 3, onFailure: .cancel)
    /// let found = await runtime.concurrently(lookups, onFailure: .cancel) { error in error is NoSuchRow }
    /// ```
    ///
    /// - Parameters:
    ///   - jobs: Any number of jobs, including none.
    ///   - id: The identifier of the group, made ahead to observe or cancel it; a new one by default.
    ///   - limit: The number of jobs that run at once; by default, and with zero, any number that the worker pool
    ///     allows.
    ///   - reaction: The reaction to a failure; by default the other jobs run nevertheless.
    ///   - isIgnored: Returns true for failures to ignore, whatever the reaction to the others; none by default. They
    ///     are in the report all the same.
    /// - Returns: The outcome of each job, in order. When the task is cancelled, or the reaction to a failure says so,
    ///   running jobs are cancelled, and jobs that had not begun are ``JobOutcome/notRun``.
    @concurrent
    public func concurrently<Work: Job>(
        _ jobs: [Work],
        id: GroupID? = nil,
        limit: Int? = nil,
        onFailure reaction: FailureReaction = .continue,
        ignoring isIgnored: (@Sendable (any Error) -> Bool)? = nil
    ) async -> GroupReport<Work.Output> {
        await JobGroup(
            members: jobs,
            host: jobHost,
            id: id,
            limit: limit,
            onFailure: reaction,
            ignoring: isIgnored
        )
        .report(of: Work.Output.self)
    }

    /// Runs jobs of different types concurrently and waits until all have ended, with or without success.
    ///
    /// In every other respect it is like the overload for jobs of one type.
    @concurrent
    @_disfavoredOverload
    public func concurrently(
        _ jobs: [any Job],
        id: GroupID? = nil,
        limit: Int? = nil,
        onFailure reaction: FailureReaction = .continue,
        ignoring isIgnored: (@Sendable (any Error) -> Bool)? = nil
    ) async -> GroupReport<any Sendable> {
        await JobGroup(
            members: jobs,
            host: jobHost,
            id: id,
            limit: limit,
            onFailure: reaction,
            ignoring: isIgnored
        )
        .report()
    }

    /// Runs jobs one after the other, each with the result of the previous one, and returns all results, each in its
    /// own type.
    ///
    /// ```swift
    /// let (rows, count) = try await runtime.serially(readRows, store)
    /// ```
    ///
    /// - Parameters:
    ///   - jobs: The steps: local jobs, or jobs of your own.
    ///   - id: The identifier of the group, made ahead to observe or cancel it; a new one by default.
    ///   - onEnd: Receives the report of the group, whether or not it succeeded; none by default.
    /// - Returns: The results, in the order of the steps.
    /// - Throws: The error of the first step to fail, after which no step is started; `CancellationError` when the task
    ///   is cancelled.
    @concurrent
    public func serially<each Work: Job>(
        _ jobs: repeat each Work,
        id: GroupID? = nil,
        onEnd: (@Sendable (GroupReport<any Sendable>) -> Void)? = nil
    ) async throws -> (repeat (each Work).Output) {
        var members: [any Job] = []
        for job in repeat each jobs {
            members.append(job)
        }
        return try await JobGroup(members: members, host: jobHost, id: id, isChain: true, onFailure: .stop)
            .results(of: repeat each jobs, onEnd: onEnd)
    }

    /// Runs jobs of one type one after the other, each with the result of the previous one.
    ///
    /// - Parameters:
    ///   - jobs: Any number of steps, including none.
    ///   - id: The identifier of the group, made ahead to observe or cancel it; a new one by default.
    ///   - reaction: The reaction to a failure; by default no other step begins. With `.continue` and
    ///     `.ignore` the next step receives the failure.
    /// - Returns: The outcome of each step, in order. Steps that were never started are ``JobOutcome/notRun``; when the
    ///   task is cancelled, the current step is ``JobOutcome/cancelled``, and the others are not run.
    @concurrent
    public func serially<Work: Job>(
        _ jobs: [Work],
        id: GroupID? = nil,
        onFailure reaction: FailureReaction = .stop
    ) async -> GroupReport<Work.Output> {
        await JobGroup(members: jobs, host: jobHost, id: id, isChain: true, onFailure: reaction)
            .report(of: Work.Output.self)
    }

    /// Runs jobs of different types one after the other, each with the result of the previous one.
    ///
    /// ```swift
    /// let size = LocalJob("size") { previous in try previous.value(as: [Row].self).count }
    /// let report = await runtime.serially([rows, size, save])
    /// ```
    ///
    /// In every other respect it is like the overload for jobs of one type.
    @concurrent
    @_disfavoredOverload
    public func serially(
        _ jobs: [any Job],
        id: GroupID? = nil,
        onFailure reaction: FailureReaction = .stop
    ) async -> GroupReport<any Sendable> {
        await JobGroup(members: jobs, host: jobHost, id: id, isChain: true, onFailure: reaction).report()
    }
}
