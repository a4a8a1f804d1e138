// SPDX-License-Identifier: MIT

extension JobGraph {
    /// Adds a condition for nodes that run only if it holds.
    ///
    /// ```swift
    /// let isLarge = graph.condition("is large", after: rows) { rows in rows.count > 10_000 }
    /// let index = graph.local("index", after: rows, options: [.onlyIf(isLarge)]) { rows in try await index(rows) }
    /// ```
    ///
    /// - Parameters:
    ///   - name: The name of the node, unique in the graph.
    ///   - inputs: The nodes whose results the condition depends on.
    ///   - options: Further conditions, labels; none by default.
    ///   - holds: Returns true if the condition holds.
    /// - Returns: A handle for ``JobOptions/onlyIf(_:)`` and ``JobOptions/unless(_:)``.
    @discardableResult
    public mutating func condition<each Input: Sendable>(
        _ name: String,
        after inputs: repeat JobHandle<each Input>,
        options: JobOptions? = nil,
        _ holds: @escaping @Sendable (repeat each Input) throws -> Bool
    ) -> JobHandle<Bool> {
        addImmediate(name, .condition, after: repeat each inputs, options: options, holds)
    }

    /// Adds a node that has another node's result or, if that node fails, the result of a job.
    ///
    /// ```swift
    /// let prices = graph.fallback("prices", for: current) { error in LocalJob("last known") { lastKnownPrices } }
    /// ```
    ///
    /// A failure that is handled in this way does not make the run fail. When the other node is skipped, cancelled or
    /// not run, this one is skipped.
    ///
    /// - Parameters:
    ///   - name: The name of the node, unique in the graph.
    ///   - primary: The node that may fail.
    ///   - inputs: The nodes whose results the closure receives after the error; none by default.
    ///   - options: Attempts, limits, conditions; none by default.
    ///   - make: Makes the job from the error; it is called only after a failure.
    /// - Returns: A handle to the result of the other node, or of the job.
    @discardableResult
    @_disfavoredOverload
    public mutating func fallback<Output: Sendable, each Input: Sendable, Work: Job>(
        _ name: String,
        for primary: JobHandle<Output>,
        after inputs: repeat JobHandle<each Input>,
        options: JobOptions? = nil,
        _ make: @escaping @Sendable @concurrent (any Error, repeat each Input) async throws -> Work
    ) -> JobHandle<Output> where Work.Output == Output {
        let places = Self.places(repeat each inputs)
        return addFallback(name, for: primary, after: repeat each inputs, options: options) { error, context in
            var position = 0
            let job = try await make(
                error,
                repeat try context.nextValue(of: places, &position, as: (each Input).self)
            )
            return try await context.run(job)
        }
    }

    /// Adds a node that has another node's result or, if that node fails, the result of a job.
    ///
    /// See the overload with `after:`.
    @discardableResult
    public mutating func fallback<Output: Sendable, Work: Job>(
        _ name: String,
        for primary: JobHandle<Output>,
        options: JobOptions? = nil,
        _ make: @escaping @Sendable @concurrent (any Error) async throws -> Work
    ) -> JobHandle<Output> where Work.Output == Output {
        addFallback(name, for: primary, options: options) { error, context in
            try await context.run(try await make(error))
        }
    }

    /// Adds a node that has another node's result or, if that node fails, a result that your own work makes from the
    /// error.
    ///
    /// ```swift
    /// let settings = graph.fallback("settings", for: file) { error in Settings() }
    /// ```
    ///
    /// In every other respect the node behaves like one whose fallback is a job.
    @discardableResult
    @_disfavoredOverload
    public mutating func fallback<Output: Sendable, each Input: Sendable>(
        _ name: String,
        for primary: JobHandle<Output>,
        after inputs: repeat JobHandle<each Input>,
        options: JobOptions? = nil,
        _ work: @escaping @Sendable @concurrent (any Error, repeat each Input) async throws -> Output
    ) -> JobHandle<Output> {
        let places = Self.places(repeat each inputs)
        return addFallback(name, for: primary, after: repeat each inputs, options: options) { error, context in
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

    /// Adds a node that has another node's result or, if that node fails, a result that your own work makes from the
    /// error.
    ///
    /// See the overload with `after:`.
    @discardableResult
    public mutating func fallback<Output: Sendable>(
        _ name: String,
        for primary: JobHandle<Output>,
        options: JobOptions? = nil,
        _ work: @escaping @Sendable @concurrent (any Error) async throws -> Output
    ) -> JobHandle<Output> {
        addFallback(name, for: primary, options: options) { error, context in
            try await context.run(LocalJob<Output>(name) { try await work(error) })
        }
    }

    private mutating func addFallback<Output: Sendable, each Input: Sendable>(
        _ name: String,
        for primary: JobHandle<Output>,
        after inputs: repeat JobHandle<each Input>,
        options: JobOptions?,
        _ handle: @escaping @Sendable @concurrent (any Error, NodeContext) async throws -> Output
    ) -> JobHandle<Output> {
        let body = JobBody.suspending { context in
            if case .failure(let error) = context.result(at: primary.index) {
                return try await handle(error, context)
            }
            return try context.value(of: primary)
        }
        let handle: JobHandle<Output> = add(name, .fallback, after: primary, need: .end, options: options, body: body)
        for input in repeat each inputs {
            connect(input, to: handle.index, .value)
        }
        return handle
    }

    /// Adds a node that has the first available result of two branches, one of which may be skipped.
    ///
    /// It begins when both have ended. When neither has a result, it fails with the error of the first one, or is
    /// skipped.
    ///
    /// - Parameters:
    ///   - name: The name of the node, unique in the graph.
    ///   - first: The node whose result is preferred.
    ///   - second: The node whose result is taken when the first one has none.
    ///   - options: Conditions, labels; none by default.
    /// - Returns: A handle to the result of one of them.
    @discardableResult
    public mutating func either<Output: Sendable>(
        _ name: String,
        _ first: JobHandle<Output>,
        or second: JobHandle<Output>,
        options: JobOptions? = nil
    ) -> JobHandle<Output> {
        let body = JobBody.immediate { context in
            if let value = (try? context.value(of: first)) ?? (try? context.value(of: second)) {
                return value
            }
            if case .failure(let error) = context.result(at: first.index) {
                throw error
            }
            return try context.value(of: second)
        }
        return add(name, .fallback, after: first, second, need: .end, options: options, body: body)
    }

    /// Adds a node that has another node's result, or `nil` when that node is skipped.
    ///
    /// If the other node fails, this one fails too.
    ///
    /// - Parameters:
    ///   - name: The name of the node, unique in the graph.
    ///   - handle: The node that may be skipped.
    /// - Returns: A handle to the result or `nil`.
    @discardableResult
    public mutating func optional<Output: Sendable>(_ name: String, of handle: JobHandle<Output>) -> JobHandle<Output?>
    {
        let body = JobBody.immediate { context in
            if case .skipped = context.result(at: handle.index) {
                return Output?.none
            }
            return Output?.some(try context.value(of: handle))
        }
        return add(name, .condition, after: handle, need: .end, body: body)
    }
}
