// SPDX-License-Identifier: MIT

// Overloads for closures that have one or two parameters more than there are handles in 'after:'. Without them the
// compiler only reports that two packs differ in shape, or expects another number of parameters than the program needs.

// MARK: - The parameter

/// The type of a closure's parameter without a handle.
@dynamicMemberLookup
public enum ParameterWithoutHandle: Sendable {
    /// A member, so that the compiler reports only the missing handle.
    ///
    /// A text is preferred: a token, for example, may be given as a text or as a source.
    public subscript(dynamicMember member: String) -> String {
        switch self {}
    }

    /// The same for a member of any other type.
    @_disfavoredOverload
    public subscript<Value>(dynamicMember member: String) -> Value {
        switch self {}
    }

    /// The same for a member whose type cannot be inferred.
    @_disfavoredOverload
    public subscript(dynamicMember member: String) -> ParameterWithoutHandle {
        switch self {}
    }
}

// MARK: - No closure

extension JobGraph {
    /// Unavailable: the job is not made in a closure.
    @available(*, unavailable, message: "make the job in a closure, as in graph.job(\"name\") { job }")
    @discardableResult
    public mutating func job<Work: Job>(
        _ name: String,
        options: JobOptions? = nil,
        _ work: Work
    ) -> JobHandle<Work.Output> {
        job(name, options: options) { () throws -> Work in work }
    }
}

// MARK: - One parameter

extension JobGraph {
    /// Unavailable: the closure has a parameter without a handle.
    @available(*, unavailable, message: "the closure has a parameter without a handle in 'after:'")
    @discardableResult
    public mutating func job<Work: Job>(
        _ name: String,
        options: JobOptions? = nil,
        _ make: @escaping @Sendable @concurrent (ParameterWithoutHandle) async throws -> Work
    ) -> JobHandle<Work.Output> {
        job(name, options: options) { () throws -> Work in throw CancellationError() }
    }

    /// Unavailable: the closure has a parameter without a handle.
    @available(*, unavailable, message: "the closure has a parameter without a handle in 'after:'")
    @discardableResult
    public mutating func local<Output: Sendable>(
        _ name: String,
        options: JobOptions? = nil,
        _ work: @escaping @Sendable @concurrent (ParameterWithoutHandle) async throws -> Output
    ) -> JobHandle<Output> {
        local(name, options: options) { () throws -> Output in throw CancellationError() }
    }

    /// Unavailable: the closure has a parameter without a handle.
    @available(*, unavailable, message: "the closure has a parameter without a handle in 'after:'")
    @discardableResult
    public mutating func forEach<Elements: Collection & Sendable, Output: Sendable>(
        _ name: String,
        in elements: JobHandle<Elements>,
        limit: Int? = nil,
        onFailure failure: FailureReaction = .cancel,
        options: JobOptions? = nil,
        _ make: @escaping @Sendable @concurrent (Elements.Element, ParameterWithoutHandle) async throws -> Output
    ) -> JobHandle<[Output]> where Elements.Element: Sendable {
        local(name, options: options) { () throws -> [Output] in throw CancellationError() }
    }

    /// Unavailable: the closure has a parameter without a handle.
    @available(*, unavailable, message: "the closure has a parameter without a handle in 'after:'")
    @discardableResult
    public mutating func forEachOutcome<Elements: Collection & Sendable, Output: Sendable>(
        _ name: String,
        in elements: JobHandle<Elements>,
        limit: Int? = nil,
        options: JobOptions? = nil,
        _ make: @escaping @Sendable @concurrent (Elements.Element, ParameterWithoutHandle) async throws -> Output
    ) -> JobHandle<[JobOutcome<Output>]> where Elements.Element: Sendable {
        local(name, options: options) { () throws -> [JobOutcome<Output>] in throw CancellationError() }
    }

    /// Unavailable: the closure has a parameter without a handle.
    @available(*, unavailable, message: "the closure has a parameter without a handle in 'after:'")
    @discardableResult
    public mutating func forEachGraph<Elements: Collection & Sendable, Output: Sendable>(
        _ name: String,
        in elements: JobHandle<Elements>,
        limit: Int? = nil,
        onFailure failure: FailureReaction = .cancel,
        options: JobOptions? = nil,
        _ build:
            @escaping @Sendable (inout JobGraph, Elements.Element, ParameterWithoutHandle) throws -> JobHandle<Output>
    ) -> JobHandle<[Output]> where Elements.Element: Sendable {
        local(name, options: options) { () throws -> [Output] in throw CancellationError() }
    }

    /// Unavailable: the closure has a parameter without a handle.
    @available(*, unavailable, message: "the closure has a parameter without a handle in 'after:'")
    @discardableResult
    public mutating func poll<Work: Job>(
        _ name: String,
        every policy: PollPolicy,
        options: JobOptions? = nil,
        _ make: @escaping @Sendable @concurrent (ParameterWithoutHandle) async throws -> Work,
        until isDone: @escaping @Sendable (Work.Output) throws -> Bool
    ) -> JobHandle<Work.Output> {
        job(name, options: options) { () throws -> Work in throw CancellationError() }
    }

    /// Unavailable: the closure has a parameter without a handle.
    @available(*, unavailable, message: "the closure has a parameter without a handle in 'after:'")
    @discardableResult
    public mutating func subgraph<Output: Sendable>(
        _ name: String,
        options: JobOptions? = nil,
        _ build: @escaping @Sendable (inout JobGraph, ParameterWithoutHandle) throws -> JobHandle<Output>
    ) -> JobHandle<Output> {
        local(name, options: options) { () throws -> Output in throw CancellationError() }
    }

    /// Unavailable: the closure has a parameter without a handle.
    @available(*, unavailable, message: "the closure has a parameter without a handle in 'after:'")
    @discardableResult
    public mutating func condition(
        _ name: String,
        options: JobOptions? = nil,
        _ holds: @escaping @Sendable (ParameterWithoutHandle) throws -> Bool
    ) -> JobHandle<Bool> {
        local(name, options: options) { () throws -> Bool in throw CancellationError() }
    }

    /// Unavailable: the closure has a parameter without a handle.
    @available(*, unavailable, message: "the closure has a parameter without a handle in 'after:'")
    @discardableResult
    public mutating func fallback<Output: Sendable, Result: Sendable>(
        _ name: String,
        for primary: JobHandle<Output>,
        options: JobOptions? = nil,
        _ make: @escaping @Sendable @concurrent (any Error, ParameterWithoutHandle) async throws -> Result
    ) -> JobHandle<Output> {
        primary
    }

    /// Unavailable: the closure has a parameter without a handle.
    @available(*, unavailable, message: "the closure has a parameter without a handle in 'after:'")
    public mutating func undo<Output: Sendable, Result: Sendable>(
        _ name: String,
        of node: JobHandle<Output>,
        timeout: Duration? = nil,
        _ make: @escaping @Sendable @concurrent (Output, ParameterWithoutHandle) async throws -> Result
    ) {}
}

// MARK: - Two parameters

extension JobGraph {
    /// Unavailable: the closure has parameters without a handle.
    @available(*, unavailable, message: "the closure has parameters without a handle in 'after:'")
    @discardableResult
    public mutating func job<Work: Job>(
        _ name: String,
        options: JobOptions? = nil,
        _ make: @escaping @Sendable @concurrent (ParameterWithoutHandle, ParameterWithoutHandle) async throws -> Work
    ) -> JobHandle<Work.Output> {
        job(name, options: options) { () throws -> Work in throw CancellationError() }
    }

    /// Unavailable: the closure has parameters without a handle.
    @available(*, unavailable, message: "the closure has parameters without a handle in 'after:'")
    @discardableResult
    public mutating func local<Output: Sendable>(
        _ name: String,
        options: JobOptions? = nil,
        _ work: @escaping @Sendable @concurrent (ParameterWithoutHandle, ParameterWithoutHandle) async throws -> Output
    ) -> JobHandle<Output> {
        local(name, options: options) { () throws -> Output in throw CancellationError() }
    }

    /// Unavailable: the closure has parameters without a handle.
    @available(*, unavailable, message: "the closure has parameters without a handle in 'after:'")
    @discardableResult
    public mutating func forEach<Elements: Collection & Sendable, Output: Sendable>(
        _ name: String,
        in elements: JobHandle<Elements>,
        limit: Int? = nil,
        onFailure failure: FailureReaction = .cancel,
        options: JobOptions? = nil,
        _ make:
            @escaping @Sendable @concurrent (
                Elements.Element, ParameterWithoutHandle, ParameterWithoutHandle
            ) async throws -> Output
    ) -> JobHandle<[Output]> where Elements.Element: Sendable {
        local(name, options: options) { () throws -> [Output] in throw CancellationError() }
    }
}
