// SPDX-License-Identifier: MIT

/// The reaction of ``JobGraph/forEach(_:in:after:limit:onFailure:options:_:)`` to the failure of an element.
public enum ElementFailure: Sendable, Hashable {
    /// The node fails at once, and the other elements are cancelled.
    case failFast
    /// The node fails with the first error once every element has ended.
    case failAtEnd
    /// The node succeeds with the results of those elements that succeeded, in their order.
    case omit
}

extension JobGraph {
    /// Adds a request for each element of another node's result.
    ///
    /// ```swift
    /// let details = graph.forEach("detail", in: items, limit: 8) { item in
    ///     RequestNode(.detail).parameter("id", item.id)
    /// }
    /// ```
    ///
    /// How many elements there are need not be known before. What every element needs besides, like a token, comes from
    /// the nodes named in `after:`, and is handed to the closure behind the element. Options like
    /// ``JobOption/retry(_:)-(RetryPolicy)`` concern each element by itself; the time limit, conditions and mutex keys
    /// concern the node.
    ///
    /// - Parameters:
    ///   - name: The name of the node, which no other node of the graph may have.
    ///   - elements: The node whose result is gone through.
    ///   - inputs: The nodes whose results every element is handed too; none by default.
    ///   - limit: How many elements are under way at once; `nil`, the default, for as many as there are workers.
    ///   - failure: What becomes of the node when an element fails.
    ///   - options: Tries, limits, conditions; none by default.
    ///   - make: Makes the request for an element.
    /// - Returns: What stands for the results, in the order of the elements.
    @discardableResult
    public mutating func forEach<Elements: Collection & Sendable, each Input: Sendable, Work: Job>(
        _ name: String,
        in elements: JobHandle<Elements>,
        after inputs: repeat JobHandle<each Input>,
        limit: Int? = nil,
        onFailure failure: ElementFailure = .failFast,
        options: JobOptions? = nil,
        _ make: @escaping @Sendable @concurrent (Elements.Element, repeat each Input) async throws -> Work
    ) -> JobHandle<[Work.Output]> where Elements.Element: Sendable {
        let places = Self.places(repeat each inputs)
        return addForEach(
            ElementLoop(name: name, kind: JobKind(of: Work.self), limit: limit, options: options, failure: failure),
            in: elements,
            after: repeat each inputs,
            options: options,
            run: { element, _, context in
                var position = 0
                let node = try await make(
                    element,
                    repeat try context.nextValue(of: places, &position, as: (each Input).self)
                )
                return try await context.run(node)
            },
            collect: { outcomes in try failure.results(of: outcomes) }
        )
    }

    /// Adds a request for each element of another node's result, and keeps how each ended.
    ///
    /// The node itself succeeds, whatever becomes of its elements.
    ///
    /// - Parameters:
    ///   - name: The name of the node, which no other node of the graph may have.
    ///   - elements: The node whose result is gone through.
    ///   - inputs: The nodes whose results every element is handed too; none by default.
    ///   - limit: How many elements are under way at once; `nil`, the default, for as many as there are workers.
    ///   - options: Tries, limits, conditions; none by default.
    ///   - make: Makes the request for an element.
    /// - Returns: What stands for the outcomes, in the order of the elements.
    @discardableResult
    public mutating func forEachOutcome<Elements: Collection & Sendable, each Input: Sendable, Work: Job>(
        _ name: String,
        in elements: JobHandle<Elements>,
        after inputs: repeat JobHandle<each Input>,
        limit: Int? = nil,
        options: JobOptions? = nil,
        _ make: @escaping @Sendable @concurrent (Elements.Element, repeat each Input) async throws -> Work
    ) -> JobHandle<[JobOutcome<Work.Output>]> where Elements.Element: Sendable {
        let places = Self.places(repeat each inputs)
        return addForEach(
            ElementLoop(name: name, kind: JobKind(of: Work.self), limit: limit, options: options, failure: .omit),
            in: elements,
            after: repeat each inputs,
            options: options,
            run: { element, _, context in
                var position = 0
                let node = try await make(
                    element,
                    repeat try context.nextValue(of: places, &position, as: (each Input).self)
                )
                return try await context.run(node)
            },
            collect: { $0 }
        )
    }

    /// Adds work of your own for each element of another node's result.
    ///
    /// Each element takes a worker slot while its work runs.
    ///
    /// - Parameters:
    ///   - name: The name of the node, which no other node of the graph may have.
    ///   - elements: The node whose result is gone through.
    ///   - inputs: The nodes whose results every element is handed too; none by default.
    ///   - limit: How many elements are under way at once; `nil`, the default, for as many as there are workers.
    ///   - failure: What becomes of the node when an element fails.
    ///   - options: Tries, limits, conditions; none by default.
    ///   - work: The work for an element.
    /// - Returns: What stands for the results, in the order of the elements.
    @discardableResult
    public mutating func forEachLocal<Elements: Collection & Sendable, each Input: Sendable, Output: Sendable>(
        _ name: String,
        in elements: JobHandle<Elements>,
        after inputs: repeat JobHandle<each Input>,
        limit: Int? = nil,
        onFailure failure: ElementFailure = .failFast,
        options: JobOptions? = nil,
        _ work: @escaping @Sendable @concurrent (Elements.Element, repeat each Input) async throws -> Output
    ) -> JobHandle<[Output]> where Elements.Element: Sendable {
        let places = Self.places(repeat each inputs)
        return addForEach(
            ElementLoop(name: name, kind: .local, limit: limit, options: options, failure: failure),
            in: elements,
            after: repeat each inputs,
            options: options,
            run: { element, name, context in
                let job = LocalJob<Output>(name) {
                    var position = 0
                    return try await work(
                        element,
                        repeat try context.nextValue(of: places, &position, as: (each Input).self)
                    )
                }
                return try await context.run(job)
            },
            collect: { outcomes in try failure.results(of: outcomes) }
        )
    }

    private mutating func addForEach<
        Elements: Collection & Sendable,
        each Input: Sendable,
        Output: Sendable,
        Result: Sendable
    >(
        _ loop: ElementLoop,
        in elements: JobHandle<Elements>,
        after inputs: repeat JobHandle<each Input>,
        options: JobOptions?,
        run: @escaping @Sendable @concurrent (Elements.Element, String, NodeContext) async throws -> Output,
        collect: @escaping @Sendable ([JobOutcome<Output>]) throws -> Result
    ) -> JobHandle<Result> where Elements.Element: Sendable {
        var loop = loop
        loop.inputs = Self.places(repeat each inputs)
        let body = JobBody.suspending { [loop] context in
            try collect(try await loop.run(Array(context.value(of: elements)), context, run))
        }
        // The attempts are the elements', not the node's.
        var options = options
        options?.retry = nil
        return add(loop.name, .forEach, after: elements, repeat each inputs, options: options, body: body)
    }
}

extension ElementFailure {
    /// The results of a node from the outcomes of its elements.
    func results<Output>(of outcomes: [JobOutcome<Output>]) throws -> [Output] {
        if self != .omit {
            // An error says more than that others were cancelled because of it.
            if let error = outcomes.lazy.compactMap(\.error).first {
                throw error
            }
            return try outcomes.map { try $0.get() }
        }
        return outcomes.compactMap(\.value)
    }
}
