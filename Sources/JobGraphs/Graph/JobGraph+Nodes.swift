// SPDX-License-Identifier: MIT

extension JobGraph {
    /// Adds a value that is known before the run, like a date or a name.
    ///
    /// A run with a journal sees by it what has changed: nodes that are made from another value than before run again.
    ///
    /// - Parameters:
    ///   - name: The name of the node, which no other node of the graph may have.
    ///   - value: The value.
    /// - Returns: What stands for the value.
    @discardableResult
    public mutating func input<Value: Sendable>(_ name: String, _ value: Value) -> JobHandle<Value> {
        add(name, .input, body: .immediate { _ in value })
    }

    /// Adds work of your own that may wait.
    ///
    /// It takes a worker slot while it runs, like a ``LocalJob``; requests that it sends itself may use that slot.
    ///
    /// - Parameters:
    ///   - name: The name of the node, which no other node of the graph may have.
    ///   - inputs: The nodes whose results it is handed; none for work that begins at once.
    ///   - options: Tries, limits, conditions; none by default.
    ///   - work: The work. It runs on no actor, and should return early when its task is cancelled.
    /// - Returns: What stands for the result.
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

    /// Adds work of your own that never waits.
    ///
    /// It takes a worker slot while it runs, and no task of its own: it ends early only when the whole run is cancelled
    /// and it looks at `Task.isCancelled`. What may wait belongs in an `async` closure.
    ///
    /// - Parameters:
    ///   - name: The name of the node, which no other node of the graph may have.
    ///   - inputs: The nodes whose results it is handed; none for work that begins at once.
    ///   - options: Tries, limits, conditions; none by default.
    ///   - work: The work. It runs on no actor.
    /// - Returns: What stands for the result.
    @discardableResult
    public mutating func local<each Input: Sendable, Output: Sendable>(
        _ name: String,
        after inputs: repeat JobHandle<each Input>,
        options: JobOptions? = nil,
        _ work: @escaping @Sendable (repeat each Input) throws -> Output
    ) -> JobHandle<Output> {
        addImmediate(name, .local, after: repeat each inputs, options: options, work)
    }

    /// Adds a job of any kind, made from the results of other nodes.
    ///
    /// - Parameters:
    ///   - name: The name of the node, which no other node of the graph may have.
    ///   - inputs: The nodes whose results the job is made from; none for one that begins at once.
    ///   - options: Tries, limits, conditions; none by default.
    ///   - make: Makes the job. It runs when all inputs have a result, on no actor.
    /// - Returns: What stands for the job's result.
    @discardableResult
    public mutating func job<each Input: Sendable, Work: Job>(
        _ name: String,
        after inputs: repeat JobHandle<each Input>,
        options: JobOptions? = nil,
        _ make: @escaping @Sendable @concurrent (repeat each Input) async throws -> Work
    ) -> JobHandle<Work.Output> {
        let handle = addJob(name, JobKind(of: Work.self), after: repeat each inputs, options: options, by: make)
        addPreview(of: handle, after: repeat each inputs, by: make)
        return handle
    }
}

// MARK: - Parts

extension JobGraph {
    /// Where nodes are in the graph.
    ///
    /// Bodies know their inputs by places: a tuple of handles is a generic type, which the runtime would look up
    /// whenever a body runs.
    static func places<each Input>(_ handles: repeat JobHandle<each Input>) -> [Int] {
        var places: [Int] = []
        for handle in repeat each handles {
            places.append(handle.index)
        }
        return places
    }

    /// Adds a node that makes a job of others' results and runs it.
    private mutating func addJob<each Input: Sendable, Work: Job>(
        _ name: String,
        _ kind: JobKind,
        after inputs: repeat JobHandle<each Input>,
        options: JobOptions?,
        by make: @escaping @Sendable @concurrent (repeat each Input) async throws -> Work
    ) -> JobHandle<Work.Output> {
        let places = Self.places(repeat each inputs)
        let body = JobBody.suspending { context in
            var position = 0
            let job = try await make(repeat try context.nextValue(of: places, &position, as: (each Input).self))
            return try await context.run(job)
        }
        return add(name, kind, after: repeat each inputs, options: options, body: body)
    }

    /// Adds a node whose work is handed others' results and never waits.
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
