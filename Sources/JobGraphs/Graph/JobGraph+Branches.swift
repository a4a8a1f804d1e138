// SPDX-License-Identifier: MIT

extension JobGraph {
    /// Adds a condition, for nodes that run only if it holds.
    ///
    /// ```swift
    /// let isAdmin = graph.condition("is admin", after: me) { me in me.roles.contains("admin") }
    /// let audit = graph.request("audit", after: login, options: [.onlyIf(isAdmin)]) { token in RequestNode(.audit) }
    /// ```
    ///
    /// - Parameters:
    ///   - name: The name of the node, which no other node of the graph may have.
    ///   - inputs: The nodes whose results are looked at.
    ///   - options: Further conditions, labels; none by default.
    ///   - holds: Whether the condition holds.
    /// - Returns: What ``JobOption/onlyIf(_:)`` and ``JobOption/unless(_:)`` take.
    @discardableResult
    public mutating func condition<each Input: Sendable>(
        _ name: String,
        after inputs: repeat JobHandle<each Input>,
        options: JobOptions? = nil,
        _ holds: @escaping @Sendable (repeat each Input) throws -> Bool
    ) -> JobHandle<Bool> {
        addImmediate(name, .condition, after: repeat each inputs, options: options, holds)
    }

    /// Adds a node that has another one's result or, when that one fails, the response to a request instead.
    ///
    /// A failure that is caught like this does not fail the run. When the other node is skipped, cancelled or not run,
    /// this one is skipped.
    ///
    /// - Parameters:
    ///   - name: The name of the node, which no other node of the graph may have.
    ///   - primary: The node that may fail.
    ///   - inputs: The nodes whose results the request is made from besides the error; none by default.
    ///   - options: Tries, limits, conditions; none by default.
    ///   - make: Makes the request that is sent instead; it is only called after a failure.
    /// - Returns: What stands for whichever result there is.
    @discardableResult
    public mutating func fallback<Output: Sendable, each Input: Sendable, Work: Job>(
        _ name: String,
        for primary: JobHandle<Output>,
        after inputs: repeat JobHandle<each Input>,
        options: JobOptions? = nil,
        _ make: @escaping @Sendable @concurrent (any Error, repeat each Input) async throws -> Work
    ) -> JobHandle<Output> where Work.Output == Output {
        let places = Self.places(repeat each inputs)
        let body = JobBody.suspending { context in
            switch try context.settled(primary) {
            case .success(let value): return value
            case .failure(let error):
                var position = 0
                let node = try await make(
                    error,
                    repeat try context.nextValue(of: places, &position, as: (each Input).self)
                )
                return try await context.run(node)
            }
        }
        return addFallback(name, for: primary, after: repeat each inputs, options: options, body)
    }

    /// Adds a node that has another one's result or, when that one fails, what a closure makes of the error.
    ///
    /// A failure that is caught like this does not fail the run. When the other node is skipped, cancelled or not run,
    /// this one is skipped.
    ///
    /// - Parameters:
    ///   - name: The name of the node, which no other node of the graph may have.
    ///   - primary: The node that may fail.
    ///   - inputs: The nodes whose results it is handed besides the error; none by default.
    ///   - options: Tries, limits, conditions; none by default.
    ///   - work: Makes a result of the error, or throws it again; it is only called after a failure.
    /// - Returns: What stands for whichever result there is.
    @discardableResult
    public mutating func recover<Output: Sendable, each Input: Sendable>(
        _ name: String,
        from primary: JobHandle<Output>,
        after inputs: repeat JobHandle<each Input>,
        options: JobOptions? = nil,
        _ work: @escaping @Sendable @concurrent (any Error, repeat each Input) async throws -> Output
    ) -> JobHandle<Output> {
        let places = Self.places(repeat each inputs)
        let body = JobBody.suspending { context in
            switch try context.settled(primary) {
            case .success(let value): return value
            case .failure(let error):
                let job = LocalJob<Output>(name) {
                    var position = 0
                    return try await work(
                        error,
                        repeat try context.nextValue(of: places, &position, as: (each Input).self)
                    )
                }
                return try await context.run(job)
            }
        }
        return addFallback(name, for: primary, after: repeat each inputs, options: options, body)
    }

    private mutating func addFallback<Output: Sendable, each Input: Sendable>(
        _ name: String,
        for primary: JobHandle<Output>,
        after inputs: repeat JobHandle<each Input>,
        options: JobOptions?,
        _ body: JobBody
    ) -> JobHandle<Output> {
        let handle: JobHandle<Output> = add(name, .fallback, after: primary, need: .end, options: options, body: body)
        for input in repeat each inputs {
            connect(input, to: handle.index, .value)
        }
        return handle
    }

    /// Adds a node that has the first result there is, of two branches of which one may be skipped.
    ///
    /// It begins when both have ended. When neither has a result, it fails with the first one's error, or is skipped.
    ///
    /// - Parameters:
    ///   - name: The name of the node, which no other node of the graph may have.
    ///   - first: The node whose result is preferred.
    ///   - second: The node whose result is taken when the first one has none.
    ///   - options: Conditions, labels; none by default.
    /// - Returns: What stands for whichever result there is.
    @discardableResult
    public mutating func either<Output: Sendable>(
        _ name: String,
        _ first: JobHandle<Output>,
        or second: JobHandle<Output>,
        options: JobOptions? = nil
    ) -> JobHandle<Output> {
        let body = JobBody.immediate { context in
            if let value = context.valueIfAny(of: first) ?? context.valueIfAny(of: second) {
                return value
            }
            if case .failure = context.result(at: first.index) {
                return try context.settled(first).get()
            }
            return try context.settled(second).get()
        }
        return add(name, .fallback, after: first, second, need: .end, options: options, body: body)
    }

    /// Adds a node that has another one's result, or `nil` when that one is skipped.
    ///
    /// A failure of the other node is this one's failure too.
    ///
    /// - Parameters:
    ///   - name: The name of the node, which no other node of the graph may have.
    ///   - handle: The node that may be skipped.
    /// - Returns: What stands for the result or `nil`.
    @discardableResult
    public mutating func optional<Output: Sendable>(_ name: String, of handle: JobHandle<Output>) -> JobHandle<Output?>
    {
        let body = JobBody.immediate { context in
            if case .skipped = context.result(at: handle.index) {
                return Output?.none
            }
            return Output?.some(try context.settled(handle).get())
        }
        return add(name, .condition, after: handle, need: .end, body: body)
    }
}
