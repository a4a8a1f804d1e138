// SPDX-License-Identifier: MIT

extension JobGraph {
    /// Adds a job that runs repeatedly until its result meets a condition.
    ///
    /// ```swift
    /// let done = graph.poll("ready", after: export, every: .interval(.seconds(2), limit: .seconds(300))) { export in
    ///     LocalJob("status") { try await status(of: export) }
    /// } until: { status in
    ///     status.isReady
    /// }
    /// ```
    ///
    /// A wait holds no worker slot. A job that fails ends the poll; ``JobOptions/retry(_:)`` applies to
    /// each job separately.
    ///
    /// - Parameters:
    ///   - name: The name of the node, unique in the graph.
    ///   - inputs: The nodes whose results the job is made from.
    ///   - policy: The waits, and the limits on the number of jobs and the time.
    ///   - options: Attempts, limits, conditions; none by default.
    ///   - make: Makes the job; called for each attempt.
    ///   - isDone: Returns true for a result that ends the poll.
    /// - Returns: A handle to that result. When the poll ends without one, the node fails with
    ///   ``JobGraphError/Code-swift.struct/pollExhausted``.
    @discardableResult
    public mutating func poll<each Input: Sendable, Work: Job>(
        _ name: String,
        after inputs: repeat JobHandle<each Input>,
        every policy: PollPolicy,
        options: JobOptions? = nil,
        _ make: @escaping @Sendable @concurrent (repeat each Input) async throws -> Work,
        until isDone: @escaping @Sendable (Work.Output) throws -> Bool
    ) -> JobHandle<Work.Output> {
        let places = Self.places(repeat each inputs)
        let retry = options?.retry
        let body = JobBody.suspending { context in
            let execution = NodeExecution(context: context, options: JobOptions())
            return try await PollLoop(name: name, policy: policy)
                .run(context, isDone) { attempt in
                    var asking = context
                    asking.part += "-\(attempt)"
                    let inner = asking
                    return try await execution.retrying(by: retry) {
                        var position = 0
                        return try await inner.run(
                            try await make(repeat try inner.nextValue(of: places, &position, as: (each Input).self))
                        )
                    }
                }
        }
        var nodeOptions = options
        nodeOptions?.retry = nil
        let handle: JobHandle<Work.Output> = add(
            name,
            .poll,
            after: repeat each inputs,
            options: nodeOptions,
            body: body
        )
        addPreview(of: handle, after: repeat each inputs, by: make)
        return handle
    }
}
