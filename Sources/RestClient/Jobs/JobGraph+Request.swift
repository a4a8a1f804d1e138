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
    ///   - name: The name of the node, which no other node of the graph may have.
    ///   - inputs: The nodes whose results the request is made from; none for one that begins at once.
    ///   - options: Attempts, limits, conditions; none by default.
    ///   - make: Makes the request. It runs when all inputs have a result, on no actor, and holds no worker slot.
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
}
