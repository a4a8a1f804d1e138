// SPDX-License-Identifier: MIT

import Synchronization

extension JobGraph {
    /// Adds a whole graph as one node.
    ///
    /// It is checked and drawn together with this one. The node fails when the inner graph fails, and options like
    /// ``JobOptions/retry(_:)`` apply to the inner graph as a whole.
    ///
    /// - Parameters:
    ///   - name: The name of the node, unique in the graph.
    ///   - graph: The inner graph.
    ///   - output: The inner node whose result becomes the result of this node.
    ///   - options: Attempts, limits, conditions; none by default.
    /// - Returns: A handle to that result.
    @discardableResult
    public mutating func subgraph<Output: Sendable>(
        _ name: String,
        _ graph: JobGraph,
        output: JobHandle<Output>,
        options: JobOptions? = nil
    ) -> JobHandle<Output> {
        if !graph.holds(output) {
            defects.append(JobGraphError.foreignHandle(output.name, namedBy: name, in: self.name))
        }
        let body = JobBody.suspending { context in try await context.run(graph, output: output) }
        let handle: JobHandle<Output> = add(name, .graph, options: options, body: body)
        subgraphs[handle.index] = graph
        return handle
    }

    /// Adds a graph as one node, made from the results of other nodes.
    ///
    /// ```swift
    /// let page = graph.subgraph("page", after: text) { inner, text in
    ///     let tree = inner.local("parse") { try parse(text) }
    ///     return inner.local("render", after: tree) { tree in try await render(tree) }
    /// }
    /// ```
    ///
    /// The inner graph is made and checked when the inputs have their results.
    ///
    /// - Parameters:
    ///   - name: The name of the node, unique in the graph.
    ///   - inputs: The nodes whose results the graph is made from.
    ///   - options: Attempts, limits, conditions; none by default.
    ///   - build: Adds the nodes; returns the one whose result becomes the result of this node.
    /// - Returns: A handle to that result.
    @discardableResult
    public mutating func subgraph<each Input: Sendable, Output: Sendable>(
        _ name: String,
        after inputs: repeat JobHandle<each Input>,
        options: JobOptions? = nil,
        _ build: @escaping @Sendable (inout JobGraph, repeat each Input) throws -> JobHandle<Output>
    ) -> JobHandle<Output> {
        addSubgraph(name, after: repeat each inputs, options: options, build)
    }

    /// Adds a graph as one node, made from the results of two other nodes.
    ///
    /// It is ``subgraph(_:after:options:_:)`` for two inputs: unless the number of inputs is fixed, the compiler does
    /// not infer an `inout` graph in a closure with more than one of them. With more than two, write the types of the
    /// closure's parameters.
    @discardableResult
    public mutating func subgraph<First: Sendable, Second: Sendable, Output: Sendable>(
        _ name: String,
        after first: JobHandle<First>,
        _ second: JobHandle<Second>,
        options: JobOptions? = nil,
        _ build: @escaping @Sendable (inout JobGraph, First, Second) throws -> JobHandle<Output>
    ) -> JobHandle<Output> {
        addSubgraph(name, after: first, second, options: options, build)
    }

    private mutating func addSubgraph<each Input: Sendable, Output: Sendable>(
        _ name: String,
        after inputs: repeat JobHandle<each Input>,
        options: JobOptions?,
        _ build: @escaping @Sendable (inout JobGraph, repeat each Input) throws -> JobHandle<Output>
    ) -> JobHandle<Output> {
        let places = Self.places(repeat each inputs)
        let body = JobBody.suspending { context in
            var graph = JobGraph(name)
            var position = 0
            let output = try build(&graph, repeat try context.nextValue(of: places, &position, as: (each Input).self))
            return try await context.run(graph, output: output)
        }
        return add(name, .graph, after: repeat each inputs, options: options, body: body)
    }
}

extension NodeContext {
    func run<Output>(_ graph: JobGraph, output: JobHandle<Output>) async throws -> Output {
        let session = engine.settings.session?.session(inside: self)
        if let session {
            try graph.checkResults(for: session.ledger.journal)
            try session.check(graph)
        }
        let settings = GraphEngine.Settings(
            onFailure: engine.settings.onFailure,
            deadline: self.deadline,
            seed: engine.nextSeed(),
            session: session,
            outer: engine
        )
        let runner = try GraphRunner(graph, host: engine.host, settings: settings)
        let run = await runner.run(try await runner.rest())
        let offset = runner.engine.start - engine.start
        self.note?
            .update { note in
                note.children = run.report.nodes.map { $0.moved(by: offset) }
                note.failure = run.ending.firstFailure.flatMap { run.ending.note(of: $0)?.failure }
            }
        try Task.checkCancellation()
        try run.check()
        return try run[output]
    }
}
