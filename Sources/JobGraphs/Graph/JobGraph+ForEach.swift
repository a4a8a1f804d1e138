// SPDX-License-Identifier: MIT

extension JobGraph {
    /// Adds a job for each element of another node's result.
    ///
    /// ```swift
    /// let sizes = graph.forEach("size", in: files, limit: 8) { file in
    ///     LocalJob("size of \(file)") { try await size(of: file) }
    /// }
    /// ```
    ///
    /// The number of elements need not be known in advance. The closure of each element receives the element, then the
    /// results of the nodes in `after:`, such as a token. Options like ``JobOptions/retry(_:)`` apply to
    /// each element separately; the time limit, conditions and mutex keys apply to the node.
    ///
    /// - Parameters:
    ///   - name: The name of the node, unique in the graph.
    ///   - elements: The node whose result is a collection.
    ///   - inputs: The nodes whose results each element also receives; none by default.
    ///   - limit: The number of elements that run at once; by default, and with zero, as many as there are workers.
    ///   - failure: The effect on the node when an element fails.
    ///   - options: Attempts, limits, conditions; none by default.
    ///   - label: Names an element in reports, beside its index; no secrets belong there. None by default.
    ///   - make: Makes the job for an element.
    /// - Returns: A handle to the results, in the order of the elements.
    @discardableResult
    @_disfavoredOverload
    public mutating func forEach<Elements: Collection & Sendable, each Input: Sendable, Work: Job>(
        _ name: String,
        in elements: JobHandle<Elements>,
        after inputs: repeat JobHandle<each Input>,
        limit: Int? = nil,
        onFailure failure: FailureReaction = .cancel,
        options: JobOptions? = nil,
        label: (@Sendable (Elements.Element) -> String)? = nil,
        _ make: @escaping @Sendable @concurrent (Elements.Element, repeat each Input) async throws -> Work
    ) -> JobHandle<[Work.Output]> where Elements.Element: Sendable {
        let loop = ElementLoop(name, JobKind(of: Work.self), limit, failure, options)
        let places = Self.places(repeat each inputs)
        return add(loop, in: elements, after: repeat each inputs, options: options, label: label) {
            element,
            _,
            context in
            var position = 0
            return try await context.run(
                try await make(element, repeat try context.nextValue(of: places, &position, as: (each Input).self))
            )
        }
    }

    /// Adds a job for each element of another node's result.
    ///
    /// See the overload for any number of nodes in `after:`.
    @discardableResult
    public mutating func forEach<Elements: Collection & Sendable, Work: Job>(
        _ name: String,
        in elements: JobHandle<Elements>,
        limit: Int? = nil,
        onFailure failure: FailureReaction = .cancel,
        options: JobOptions? = nil,
        label: (@Sendable (Elements.Element) -> String)? = nil,
        _ make: @escaping @Sendable @concurrent (Elements.Element) async throws -> Work
    ) -> JobHandle<[Work.Output]> where Elements.Element: Sendable {
        let loop = ElementLoop(name, JobKind(of: Work.self), limit, failure, options)
        return add(loop, in: elements, options: options, label: label) { element, _, context in
            try await context.run(try await make(element))
        }
    }

    /// Adds a job for each element of another node's result, and keeps the outcome of each element.
    ///
    /// The node itself succeeds, whether or not its elements do. In a run with a journal the outcomes are its result: a
    /// later run returns them, with the failures in words. In every other respect it is like `forEach`.
    ///
    /// - Returns: A handle to the outcomes, in the order of the elements.
    @discardableResult
    public mutating func forEachOutcome<Elements: Collection & Sendable, each Input: Sendable, Work: Job>(
        _ name: String,
        in elements: JobHandle<Elements>,
        after inputs: repeat JobHandle<each Input>,
        limit: Int? = nil,
        options: JobOptions? = nil,
        label: (@Sendable (Elements.Element) -> String)? = nil,
        _ make: @escaping @Sendable @concurrent (Elements.Element, repeat each Input) async throws -> Work
    ) -> JobHandle<[JobOutcome<Work.Output>]> where Elements.Element: Sendable {
        let loop = ElementLoop(name, JobKind(of: Work.self), limit, .ignore, options)
        let places = Self.places(repeat each inputs)
        return add(loop, in: elements, after: repeat each inputs, options: options, label: label) {
            element,
            _,
            context in
            var position = 0
            return try await context.run(
                try await make(element, repeat try context.nextValue(of: places, &position, as: (each Input).self))
            )
        } collect: {
            $0
        }
    }

    /// Adds a graph for each element of another node's result.
    ///
    /// ```swift
    /// let reports = graph.forEachGraph("report", in: files, limit: 8) { graph, file in
    ///     let rows = graph.local("rows") { try await rows(of: file) }
    ///     return graph.local("report", after: rows) { rows in try await report(on: rows) }
    /// }
    /// ```
    ///
    /// The graph of an element goes on by itself: none of its nodes waits for those of other elements. In every other
    /// respect the node behaves like one with jobs; options like ``JobOptions/retry(_:)`` apply to the
    /// graph of each element as a whole.
    ///
    /// - Parameters:
    ///   - name: The name of the node, unique in the graph.
    ///   - elements: The node whose result is a collection.
    ///   - limit: The number of elements that run at once; by default, and with zero, as many as there are workers.
    ///   - failure: The effect on the node when the graph of an element fails.
    ///   - options: Attempts, limits, conditions; none by default.
    ///   - label: Names an element in reports, beside its index; no secrets belong there. None by default.
    ///   - build: Adds the nodes for an element; returns the one whose result becomes that of the element.
    /// - Returns: A handle to the results, in the order of the elements.
    @discardableResult
    public mutating func forEachGraph<Elements: Collection & Sendable, Output: Sendable>(
        _ name: String,
        in elements: JobHandle<Elements>,
        limit: Int? = nil,
        onFailure failure: FailureReaction = .cancel,
        options: JobOptions? = nil,
        label: (@Sendable (Elements.Element) -> String)? = nil,
        _ build: @escaping @Sendable (inout JobGraph, Elements.Element) throws -> JobHandle<Output>
    ) -> JobHandle<[Output]> where Elements.Element: Sendable {
        let loop = ElementLoop(name, .graph, limit, failure, options)
        return add(loop, in: elements, options: options, label: label) { element, label, context in
            var graph = JobGraph(label)
            let output = try build(&graph, element)
            return try await context.run(graph, output: output)
        }
    }

    /// Adds a graph for each element of another node's result, made also from the result of a third node.
    ///
    /// In every other respect it is like ``forEachGraph(_:in:limit:onFailure:options:label:_:)``.
    @discardableResult
    public mutating func forEachGraph<Elements: Collection & Sendable, Input: Sendable, Output: Sendable>(
        _ name: String,
        in elements: JobHandle<Elements>,
        after input: JobHandle<Input>,
        limit: Int? = nil,
        onFailure failure: FailureReaction = .cancel,
        options: JobOptions? = nil,
        label: (@Sendable (Elements.Element) -> String)? = nil,
        _ build: @escaping @Sendable (inout JobGraph, Elements.Element, Input) throws -> JobHandle<Output>
    ) -> JobHandle<[Output]> where Elements.Element: Sendable {
        let loop = ElementLoop(name, .graph, limit, failure, options)
        return add(loop, in: elements, after: input, options: options, label: label) { element, label, context in
            var graph = JobGraph(label)
            let output = try build(&graph, element, context.value(of: input))
            return try await context.run(graph, output: output)
        }
    }

    /// Adds a job for each element of batches, which the closure that `open` returns supplies until it returns `nil`;
    /// the node fails whenever a batch does.
    package mutating func forEach<each Input: Sendable, Element: Sendable, Work: Job>(
        _ name: String,
        after inputs: repeat JobHandle<each Input>,
        limit: Int?,
        onFailure failure: FailureReaction,
        options: JobOptions?,
        label: (@Sendable (Element) -> String)?,
        batches open:
            @escaping @Sendable (JobContext, repeat each Input) async throws
            -> (@Sendable () async throws -> [Element]?),
        _ make: @escaping @Sendable @concurrent (Element) async throws -> Work
    ) -> JobHandle<[Work.Output]> {
        var loop = ElementLoop(name, JobKind(of: Work.self), limit, failure, options)
        let places = Self.places(repeat each inputs)
        loop.inputs = places
        let body = JobBody.suspending { [loop] context in
            var position = 0
            let batches = try await open(
                context.jobContext,
                repeat try context.nextValue(of: places, &position, as: (each Input).self)
            )
            let outcomes = try await loop.run([], then: batches, label: label, context) { element, _, context in
                try await context.run(try await make(element))
            }
            return try failure.results(of: outcomes)
        }
        var options = options
        options?.retry = nil
        return add(name, .forEach, after: repeat each inputs, options: options, body: body)
    }

    /// Adds work of your own for each element of another node's result.
    ///
    /// ```swift
    /// let objects = graph.forEach("compile", in: sources, limit: 8) { source in try await compile(source) }
    /// ```
    ///
    /// Each element takes a worker slot while its work runs. In every other respect the node behaves like one with
    /// jobs.
    @discardableResult
    @_disfavoredOverload
    public mutating func forEach<Elements: Collection & Sendable, each Input: Sendable, Output: Sendable>(
        _ name: String,
        in elements: JobHandle<Elements>,
        after inputs: repeat JobHandle<each Input>,
        limit: Int? = nil,
        onFailure failure: FailureReaction = .cancel,
        options: JobOptions? = nil,
        label: (@Sendable (Elements.Element) -> String)? = nil,
        _ work: @escaping @Sendable @concurrent (Elements.Element, repeat each Input) async throws -> Output
    ) -> JobHandle<[Output]> where Elements.Element: Sendable {
        let loop = ElementLoop(name, .local, limit, failure, options)
        let places = Self.places(repeat each inputs)
        return add(loop, in: elements, after: repeat each inputs, options: options, label: label) {
            element,
            name,
            context in
            try await context.runLocal(
                LocalJob(name) {
                    var position = 0
                    return try await work(
                        element,
                        repeat try context.nextValue(of: places, &position, as: (each Input).self)
                    )
                }
            )
        }
    }

    /// Adds work of your own for each element of another node's result.
    ///
    /// See the overload for any number of nodes in `after:`.
    @discardableResult
    public mutating func forEach<Elements: Collection & Sendable, Output: Sendable>(
        _ name: String,
        in elements: JobHandle<Elements>,
        limit: Int? = nil,
        onFailure failure: FailureReaction = .cancel,
        options: JobOptions? = nil,
        label: (@Sendable (Elements.Element) -> String)? = nil,
        _ work: @escaping @Sendable @concurrent (Elements.Element) async throws -> Output
    ) -> JobHandle<[Output]> where Elements.Element: Sendable {
        let loop = ElementLoop(name, .local, limit, failure, options)
        return add(loop, in: elements, options: options, label: label) { element, name, context in
            try await context.runLocal(LocalJob(name) { try await work(element) })
        }
    }
}

// MARK: - Parts

extension JobGraph {
    private mutating func add<Elements: Collection & Sendable, each Input: Sendable, Output: Sendable>(
        _ loop: ElementLoop,
        in elements: JobHandle<Elements>,
        after inputs: repeat JobHandle<each Input>,
        options: JobOptions?,
        label: (@Sendable (Elements.Element) -> String)?,
        run: @escaping ElementLoop.Work<Elements.Element, Output>
    ) -> JobHandle<[Output]> where Elements.Element: Sendable {
        let failure = loop.failure
        return add(
            loop,
            in: elements,
            after: repeat each inputs,
            options: options,
            label: label,
            run: run
        ) { outcomes in
            try failure.results(of: outcomes)
        }
    }

    private mutating func add<
        Elements: Collection & Sendable,
        each Input: Sendable,
        Output: Sendable,
        Result: Sendable
    >(
        _ loop: ElementLoop,
        in elements: JobHandle<Elements>,
        after inputs: repeat JobHandle<each Input>,
        options: JobOptions?,
        label: (@Sendable (Elements.Element) -> String)?,
        run: @escaping ElementLoop.Work<Elements.Element, Output>,
        collect: @escaping @Sendable ([JobOutcome<Output>]) throws -> Result
    ) -> JobHandle<Result> where Elements.Element: Sendable {
        var loop = loop
        loop.inputs = Self.places(repeat each inputs)
        loop.hasPairs = OrderedEncoding.isDictionary(Elements.self)
        let body = JobBody.suspending { [loop] context in
            try collect(try await loop.run(Array(context.value(of: elements)), label: label, context, run))
        }
        // Each element has its own attempts, so the node has none.
        var options = options
        options?.retry = nil
        return add(loop.name, .forEach, after: elements, repeat each inputs, options: options, body: body)
    }
}
