// SPDX-License-Identifier: MIT

public import JobGraphs

extension JobGraph {
    /// Adds a request, made from the results of other nodes.
    ///
    /// ```swift
    /// let me = graph.request("me", after: login) { token in RequestNode(.me).bearer(token.value) }
    /// ```
    ///
    /// - Parameters:
    ///   - name: The name of the node, unique in the graph.
    ///   - inputs: The nodes whose results the request is made from; none for one that starts at once.
    ///   - options: Attempts, limits, conditions; none by default.
    ///   - make: Makes the request. It runs once all inputs have a result, on no actor, and holds no worker slot.
    /// - Returns: A handle to the decoded response.
    @discardableResult
    public mutating func request<each Input: Sendable, Model: Sendable>(
        _ name: String,
        after inputs: repeat JobHandle<each Input>,
        options: JobOptions? = nil,
        _ make: @escaping @Sendable @concurrent (repeat each Input) async throws -> RequestNode<Model>
    ) -> JobHandle<Model> {
        job(name, after: repeat each inputs, options: options, make)
    }

    /// Adds a request that begins an operation on the server, and waits for its result.
    ///
    /// ```swift
    /// let report = graph.operation("report", after: login) { token in RequestNode(.report).bearer(token.value) }
    /// ```
    ///
    /// In a run with a journal, the URL of the operation's state is stored: another attempt of the node, or a run that
    /// resumes this one, asks there, and does not begin the operation again. One that the server says has failed is
    /// begun again by the next run. If the server no longer knows it (404 or 410), its outcome is unknown, and the
    /// node's ``/JobGraphs/UnknownOutcome`` applies; so it does after a crash if the URL contains a secret, such as a
    /// signature, and the journal's codec does not seal it.
    ///
    /// - Parameters:
    ///   - name: The name of the node, unique in the graph.
    ///   - inputs: The nodes whose results the request is made from; none for one that starts at once.
    ///   - rule: The way in which the server says how far the operation is.
    ///   - options: Attempts, limits, conditions; none by default.
    ///   - make: Makes the request. It runs once all inputs have a result, on no actor, and holds no worker slot.
    /// - Returns: A handle to the result.
    @discardableResult
    public mutating func operation<each Input: Sendable, Model: Sendable>(
        _ name: String,
        after inputs: repeat JobHandle<each Input>,
        by rule: OperationRule = .standard,
        options: JobOptions? = nil,
        _ make: @escaping @Sendable @concurrent (repeat each Input) async throws -> RequestNode<Model>
    ) -> JobHandle<Model> {
        job(name, after: repeat each inputs, options: options) {
            (input: repeat each Input) async throws -> LongRunningOperation<Model> in
            try await make(repeat each input).operation(rule)
        }
    }

    /// Unavailable: the request is not made in a closure.
    @available(*, unavailable, message: "make the request in a closure, as in graph.request(\"name\") { node }")
    @discardableResult
    @_disfavoredOverload
    public mutating func request<Work>(_ name: String, options: JobOptions? = nil, _ work: Work) -> JobHandle<Void> {
        input(name, ())
    }
}

extension JobGraph {
    /// Adds a job for each item of a listing, which begins as soon as the item's page is there.
    ///
    /// ```swift
    /// let details = graph.forEach("detail", inPagesOf: RequestNode(.orders).pages(.link), limit: 8) { order in
    ///     RequestNode(.detail).parameter("id", order.id)
    /// }
    /// ```
    ///
    /// The next page is loaded once the jobs for all items before it have begun. A page that cannot be loaded fails the
    /// node. In every other respect it behaves like a node for the elements of a collection.
    ///
    /// - Parameters:
    ///   - name: The name of the node, unique in the graph.
    ///   - pages: The listing.
    ///   - limit: How many items run at once; as many as there are workers by default.
    ///   - failure: The effect on the node when an item fails.
    ///   - options: Attempts, limits, conditions; none by default.
    ///   - label: Names an item in reports, beside its index; no secrets belong there. None by default.
    ///   - make: Makes the job for an item.
    /// - Returns: A handle to the results, in the order of the items.
    @discardableResult
    public mutating func forEach<Model: Sendable, Item: Sendable, Work: Job>(
        _ name: String,
        inPagesOf pages: Pages<Model, Item>,
        limit: Int? = nil,
        onFailure failure: FailureReaction = .cancel,
        options: JobOptions? = nil,
        label: (@Sendable (Item) -> String)? = nil,
        _ make: @escaping @Sendable @concurrent (Item) async throws -> Work
    ) -> JobHandle<[Work.Output]> {
        forEach(
            name,
            limit: limit,
            onFailure: failure,
            options: options,
            label: label,
            batches: { context in pages.batches(in: context) },
            make
        )
    }

    /// Adds a job for each item of a listing that is described with the result of another node, such as a token.
    ///
    /// In every other respect it is like ``forEach(_:inPagesOf:limit:onFailure:options:label:_:)``.
    @discardableResult
    public mutating func forEach<Input: Sendable, Model: Sendable, Item: Sendable, Work: Job>(
        _ name: String,
        inPagesOf pages: @escaping @Sendable (Input) async throws -> Pages<Model, Item>,
        after input: JobHandle<Input>,
        limit: Int? = nil,
        onFailure failure: FailureReaction = .cancel,
        options: JobOptions? = nil,
        label: (@Sendable (Item) -> String)? = nil,
        _ make: @escaping @Sendable @concurrent (Item) async throws -> Work
    ) -> JobHandle<[Work.Output]> {
        forEach(
            name,
            after: input,
            limit: limit,
            onFailure: failure,
            options: options,
            label: label,
            batches: { context, value in try await pages(value).batches(in: context) },
            make
        )
    }
}

extension Pages {
    fileprivate func batches(in context: JobContext) -> @Sendable () async throws -> [Item]? {
        let pager = within(context).pager()
        return { try await pager.moveNext()?.items }
    }
}
