// SPDX-License-Identifier: MIT

extension JobGraph {
    /// Compensates what a node did, by a job, when the run does not succeed.
    ///
    /// ```swift
    /// let folder = graph.local("make folder", after: name) { name in try makeFolder(name) }
    /// graph.undo("remove folder", of: folder) { folder in LocalJob("remove") { try remove(folder) } }
    /// ```
    ///
    /// When the run fails, is cancelled or exceeds its time limit, the nodes that succeeded are compensated one after
    /// the other, the last to succeed first, after everything else has ended. Neither the cancellation nor the time
    /// limit of the run stops the compensation. ``GraphRun/compensations`` reports how each one ended; a failed one
    /// does not stop the others.
    ///
    /// - Parameters:
    ///   - name: The name of the compensation, unique in the graph.
    ///   - node: The node to compensate.
    ///   - inputs: The nodes whose results the closure receives after that of the node, each of them one that the node
    ///     itself waits for; none by default.
    ///   - timeout: The time limit; none by default.
    ///   - make: Makes the job from the result of the node.
    @_disfavoredOverload
    public mutating func undo<Output: Sendable, each Input: Sendable, Work: Job>(
        _ name: String,
        of node: JobHandle<Output>,
        after inputs: repeat JobHandle<each Input>,
        timeout: Duration? = nil,
        _ make: @escaping @Sendable @concurrent (Output, repeat each Input) async throws -> Work
    ) {
        let places = Self.places(repeat each inputs)
        addCompensation(name, of: node, after: repeat each inputs, timeout: timeout) { context in
            var position = 0
            let job = try await make(
                context.value(of: node),
                repeat try context.nextValue(of: places, &position, as: (each Input).self)
            )
            _ = try await context.run(job)
        }
    }

    /// Compensates what a node did, by a job, when the run does not succeed.
    ///
    /// See the overload with `after:`.
    public mutating func undo<Output: Sendable, Work: Job>(
        _ name: String,
        of node: JobHandle<Output>,
        timeout: Duration? = nil,
        _ make: @escaping @Sendable @concurrent (Output) async throws -> Work
    ) {
        addCompensation(name, of: node, timeout: timeout) { context in
            _ = try await context.run(try await make(context.value(of: node)))
        }
    }

    /// Compensates what a node did, by work of your own, when the run does not succeed.
    ///
    /// In every other respect it is like a compensation by a job.
    ///
    /// Work that ignores its cancellation is abandoned at the time limit.
    @_disfavoredOverload
    public mutating func undo<Output: Sendable, each Input: Sendable>(
        _ name: String,
        of node: JobHandle<Output>,
        after inputs: repeat JobHandle<each Input>,
        timeout: Duration? = nil,
        _ work: @escaping @Sendable @concurrent (Output, repeat each Input) async throws -> Void
    ) {
        let places = Self.places(repeat each inputs)
        addCompensation(name, of: node, after: repeat each inputs, timeout: timeout) { context in
            var position = 0
            let value = try context.value(of: node)
            let others = (repeat try context.nextValue(of: places, &position, as: (each Input).self))
            try await context.run(LocalJob<Void>(name) { try await work(value, repeat each others) })
        }
    }

    /// Compensates what a node did, by work of your own, when the run does not succeed.
    ///
    /// See the overload with `after:`.
    public mutating func undo<Output: Sendable>(
        _ name: String,
        of node: JobHandle<Output>,
        timeout: Duration? = nil,
        _ work: @escaping @Sendable @concurrent (Output) async throws -> Void
    ) {
        addCompensation(name, of: node, timeout: timeout) { context in
            let value = try context.value(of: node)
            try await context.run(LocalJob<Void>(name) { try await work(value) })
        }
    }

    private mutating func addCompensation<Output, each Input>(
        _ name: String,
        of node: JobHandle<Output>,
        after inputs: repeat JobHandle<each Input>,
        timeout: Duration?,
        _ run: @escaping @Sendable @concurrent (NodeContext) async throws -> Void
    ) {
        guard owns(node, for: name) else {
            return
        }
        for input in repeat each inputs {
            guard owns(input, for: name) else {
                return
            }
        }
        guard compensations[node.index] == nil else {
            defects.append(
                JobGraphError(
                    .duplicateJobName,
                    "the node '\(node.name)' of the graph '\(self.name)' has two compensations, "
                        + "'\(compensations[node.index]?.name ?? "")' and '\(name)'; do both in one"
                )
            )
            return
        }
        claim(name)
        let places = Self.places(repeat each inputs)
        compensations[node.index] = Compensation(name: name, timeout: timeout, inputs: places, run: run)
    }
}
