// SPDX-License-Identifier: MIT

// For a call without 'after:' that does not fit. Without these overloads the compiler only reports that two packs
// differ in shape if a closure has a parameter without a handle, and crashes if there is a value in place of a closure.
// With them it points at the parameter, or says what to write.
extension JobGraph {
    /// Unavailable: the job is not made in a closure.
    @available(*, unavailable, message: "make the job in a closure, as in graph.job(\"name\") { job }")
    @discardableResult
    @_disfavoredOverload
    public mutating func job<Work>(_ name: String, options: JobOptions? = nil, _ work: Work) -> JobHandle<Void> {
        input(name, ())
    }

    /// Unavailable: the work is not a closure.
    @available(*, unavailable, message: "write the work as a closure, as in graph.local(\"name\") { work() }")
    @discardableResult
    @_disfavoredOverload
    public mutating func local<Work>(_ name: String, options: JobOptions? = nil, _ work: Work) -> JobHandle<Void> {
        input(name, ())
    }

    /// Unavailable: the condition is not a closure with a Boolean result.
    @available(*, unavailable, message: "write a closure with a Bool, as in graph.condition(\"name\") { isDue }")
    @discardableResult
    @_disfavoredOverload
    public mutating func condition<Condition>(
        _ name: String,
        options: JobOptions? = nil,
        _ holds: Condition
    ) -> JobHandle<Bool> {
        input(name, true)
    }

    /// Unavailable: the closure has a parameter without a handle.
    @available(*, unavailable, message: "the closure has a parameter without a handle in 'after:'")
    @discardableResult
    @_disfavoredOverload
    public mutating func forEach<Elements: Collection & Sendable, each Parameter, Output: Sendable>(
        _ name: String,
        in elements: JobHandle<Elements>,
        limit: Int? = nil,
        onFailure failure: FailureReaction = .cancel,
        options: JobOptions? = nil,
        _ make: (Elements.Element, repeat each Parameter) async throws -> Output
    ) -> JobHandle<[Output]> where Elements.Element: Sendable {
        input(name, [])
    }

    /// Unavailable: the closure does not make a job from an element.
    @available(*, unavailable, message: "make a job for the element in a closure, as in { element in job }")
    @discardableResult
    @_disfavoredOverload
    public mutating func forEachOutcome<Elements: Collection & Sendable, Work>(
        _ name: String,
        in elements: JobHandle<Elements>,
        limit: Int? = nil,
        options: JobOptions? = nil,
        _ make: Work
    ) -> JobHandle<Void> where Elements.Element: Sendable {
        input(name, ())
    }

    /// Unavailable: the closure does not add nodes to a graph.
    @available(*, unavailable, message: "name an 'output:', or add nodes as in { (graph: inout JobGraph) in … }")
    @discardableResult
    @_disfavoredOverload
    public mutating func subgraph<Inner>(_ name: String, options: JobOptions? = nil, _ build: Inner) -> JobHandle<Void>
    {
        input(name, ())
    }
}
