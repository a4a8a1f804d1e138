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

    /// Unavailable: the request is not made in a closure.
    @available(*, unavailable, message: "make the request in a closure, as in graph.request(\"name\") { node }")
    @discardableResult
    @_disfavoredOverload
    public mutating func request<Work>(_ name: String, options: JobOptions? = nil, _ work: Work) -> JobHandle<Void> {
        input(name, ())
    }
}
