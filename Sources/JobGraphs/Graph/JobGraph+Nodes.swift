// SPDX-License-Identifier: MIT

extension JobGraph {
    /// Adds a value that is known before the run, such as a date or a name.
    ///
    /// A run with a journal compares it with the value of the previous run, and runs the nodes that depend on it again
    /// if it differs.
    ///
    /// - Parameters:
    ///   - name: The name of the node, unique in the graph.
    ///   - value: The value.
    /// - Returns: A handle to the value.
    @discardableResult
    public mutating func input<Value: Sendable>(_ name: String, _ value: Value) -> JobHandle<Value> {
        add(name, .input, body: .immediate { _ in value })
    }
}

// MARK: - Jobs

extension JobGraph {
    /// Adds a job, made from the results of other nodes.
    ///
    /// ```swift
    /// let rows = graph.job("rows", after: file) { file in ImportJob(file) }
    /// ```
    ///
    /// - Parameters:
    ///   - name: The name of the node, unique in the graph.
    ///   - inputs: The nodes whose results the job is made from; none for a job that starts at once.
    ///   - options: Attempts, limits, conditions; none by default.
    ///   - make: Makes the job. It runs once all inputs have a result, on no actor, and holds no worker slot.
    /// - Returns: A handle to the result of the job.
    @discardableResult
    public mutating func job<each Input: Sendable, Work: Job>(
        _ name: String,
        after inputs: repeat JobHandle<each Input>,
        options: JobOptions? = nil,
        _ make: @escaping @Sendable @concurrent (repeat each Input) async throws -> Work
    ) -> JobHandle<Work.Output> {
        let places = Self.places(repeat each inputs)
        let body = JobBody.suspending { context in
            var position = 0
            let job = try await make(repeat try context.nextValue(of: places, &position, as: (each Input).self))
            return try await context.run(job)
        }
        addPreview(after: repeat each inputs, by: make)
        return add(name, JobKind(of: Work.self), after: repeat each inputs, options: options, body: body)
    }
}

// MARK: - Local work

extension JobGraph {
    /// Adds work of your own that may suspend.
    ///
    /// It takes a worker slot while it runs, like a ``LocalJob``; jobs that it runs itself may use that slot.
    ///
    /// - Parameters:
    ///   - name: The name of the node, unique in the graph.
    ///   - inputs: The nodes whose results it receives; none for work that starts at once.
    ///   - options: Attempts, limits, conditions; none by default.
    ///   - work: The work. It runs on no actor, and should return early when its task is cancelled.
    /// - Returns: A handle to the result.
    @discardableResult
    public mutating func local<each Input: Sendable, Output: Sendable>(
        _ name: String,
        after inputs: repeat JobHandle<each Input>,
        options: JobOptions? = nil,
        _ work: @escaping @Sendable @concurrent (repeat each Input) async throws -> Output
    ) -> JobHandle<Output> {
        let places = Self.places(repeat each inputs)
        let body = JobBody.suspending { context in
            var position = 0
            return try await work(repeat try context.nextValue(of: places, &position, as: (each Input).self))
        }
        return add(name, .local, after: repeat each inputs, options: options, body: body)
    }

    /// Adds work of your own that never suspends.
    ///
    /// It takes a worker slot while it runs, but no task: it ends early only when the whole run is cancelled
    /// and it checks `Task.isCancelled`. Work that may suspend belongs in an `async` closure.
    ///
    /// In every other respect it is like the overload whose work may suspend.
    @discardableResult
    public mutating func local<each Input: Sendable, Output: Sendable>(
        _ name: String,
        after inputs: repeat JobHandle<each Input>,
        options: JobOptions? = nil,
        _ work: @escaping @Sendable (repeat each Input) throws -> Output
    ) -> JobHandle<Output> {
        addImmediate(name, .local, after: repeat each inputs, options: options, work)
    }
}

// MARK: - Parts

extension JobGraph {
    /// Returns the indexes of nodes, by which bodies refer to their inputs: the runtime would look up the type of a
    /// tuple of handles each time a body runs.
    static func places<each Input>(_ handles: repeat JobHandle<each Input>) -> [Int] {
        var places: [Int] = []
        for handle in repeat each handles {
            places.append(handle.index)
        }
        return places
    }

    mutating func addImmediate<each Input: Sendable, Output: Sendable>(
        _ name: String,
        _ kind: JobKind,
        after inputs: repeat JobHandle<each Input>,
        options: JobOptions?,
        _ work: @escaping @Sendable (repeat each Input) throws -> Output
    ) -> JobHandle<Output> {
        let places = Self.places(repeat each inputs)
        let body = JobBody.immediate { context in
            var position = 0
            return try work(repeat try context.nextValue(of: places, &position, as: (each Input).self))
        }
        return add(name, kind, after: repeat each inputs, options: options, body: body)
    }
}

// MARK: - Polls

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
    /// A wait holds no worker slot. If a job asks for a wait, as a request does whose server says how long, that counts
    /// in place of the policy's wait, but it is never shorter than the policy's first one. A job that fails ends the
    /// poll; ``JobOptions/retry(_:)`` applies to each job separately.
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
            try await context.poll(by: policy, isDone) { context in
                try await context.retrying(by: retry) {
                    var position = 0
                    return try await context.run(
                        try await make(repeat try context.nextValue(of: places, &position, as: (each Input).self))
                    )
                }
            }
        }
        var nodeOptions = options
        nodeOptions?.retry = nil
        addPreview(after: repeat each inputs, by: make)
        return add(name, .poll, after: repeat each inputs, options: nodeOptions, body: body)
    }
}
