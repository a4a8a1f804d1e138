// SPDX-License-Identifier: MIT

public import JobGraphs

// As for jobs, the overloads for one and two handles do the same as the general one: with them and the unavailable one,
// the compiler explains what is wrong with a closure that has the wrong number of parameters.
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
    @_disfavoredOverload
    public mutating func request<each Input: Sendable, Model: Sendable>(
        _ name: String,
        after inputs: repeat JobHandle<each Input>,
        options: JobOptions? = nil,
        _ make: @escaping @Sendable @concurrent (repeat each Input) async throws -> RequestNode<Model>
    ) -> JobHandle<Model> {
        job(name, after: repeat each inputs, options: options, make)
    }

    /// Adds a request, made from the result of another node.
    ///
    /// See the overload for any number of nodes.
    @discardableResult
    public mutating func request<Input: Sendable, Model: Sendable>(
        _ name: String,
        after input: JobHandle<Input>,
        options: JobOptions? = nil,
        _ make: @escaping @Sendable @concurrent (Input) async throws -> RequestNode<Model>
    ) -> JobHandle<Model> {
        job(name, after: input, options: options, make)
    }

    /// Adds a request, made from the results of two other nodes.
    ///
    /// See the overload for any number of nodes.
    @discardableResult
    public mutating func request<First: Sendable, Second: Sendable, Model: Sendable>(
        _ name: String,
        after first: JobHandle<First>,
        _ second: JobHandle<Second>,
        options: JobOptions? = nil,
        _ make: @escaping @Sendable @concurrent (First, Second) async throws -> RequestNode<Model>
    ) -> JobHandle<Model> {
        job(name, after: first, second, options: options, make)
    }

    /// Unavailable: the request is not made in a closure.
    @available(*, unavailable, message: "make the request in a closure, as in graph.request(\"name\") { node }")
    @discardableResult
    public mutating func request<Model: Sendable>(
        _ name: String,
        options: JobOptions? = nil,
        _ node: RequestNode<Model>
    ) -> JobHandle<Model> {
        job(name, options: options) { () throws -> RequestNode<Model> in node }
    }

    /// Unavailable: the closure has a parameter without a handle.
    @available(*, unavailable, message: "the closure has a parameter without a handle in 'after:'")
    @discardableResult
    public mutating func request<Model: Sendable>(
        _ name: String,
        options: JobOptions? = nil,
        _ make: @escaping @Sendable @concurrent (ParameterWithoutHandle) async throws -> RequestNode<Model>
    ) -> JobHandle<Model> {
        job(name, options: options) { () throws -> RequestNode<Model> in throw CancellationError() }
    }

    /// Unavailable: the closure has parameters without a handle.
    @available(*, unavailable, message: "the closure has parameters without a handle in 'after:'")
    @discardableResult
    public mutating func request<Model: Sendable>(
        _ name: String,
        options: JobOptions? = nil,
        _ make:
            @escaping @Sendable @concurrent (
                ParameterWithoutHandle, ParameterWithoutHandle
            ) async throws -> RequestNode<Model>
    ) -> JobHandle<Model> {
        job(name, options: options) { () throws -> RequestNode<Model> in throw CancellationError() }
    }
}
