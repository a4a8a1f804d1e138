// SPDX-License-Identifier: MIT

// Overloads for closures that have a parameter although 'after:' is missing. Without them the compiler only reports
// that two packs differ in shape.

/// The type of a closure's parameter without a handle.
@dynamicMemberLookup
public enum ParameterWithoutHandle: Sendable {
    /// A member of any type, so that the compiler reports only the missing handle.
    public subscript<Value>(dynamicMember member: String) -> Value {
        switch self {}
    }

    /// The same for a member whose type cannot be inferred.
    public subscript(dynamicMember member: String) -> ParameterWithoutHandle {
        switch self {}
    }
}

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
        onFailure failure: ElementFailure = .failFast,
        options: JobOptions? = nil,
        _ make: @escaping @Sendable @concurrent (Elements.Element, ParameterWithoutHandle) async throws -> Output
    ) -> JobHandle<[Output]> where Elements.Element: Sendable {
        local(name, options: options) { () throws -> [Output] in throw CancellationError() }
    }
}
