// SPDX-License-Identifier: MIT

public import Synchronization

/// Task-local scopes: a task, and the tasks that it starts, find there for which operations they work.
///
/// Scopes nest, and each has a content. Make one `TaskScope` for each purpose, as a static property:
///
/// ```swift
/// private static let scopes = TaskScope<Tenant>()
///
/// try await scopes.open(tenant) { try await work() }
/// let tenant = scopes.innermost()
/// ```
///
/// Looking for a scope costs one atomic read until the first one is opened.
public final class TaskScope<Content: Sendable>: Sendable {
    /// An open scope and the one around it.
    @usableFromInline final class Level: Sendable {
        @usableFromInline let content: Content
        @usableFromInline let outer: Level?
        @usableFromInline let isOpen = Atomic<Bool>(true)

        @inlinable init(_ content: Content, inside outer: Level?) {
            self.content = content
            self.outer = outer
        }
    }

    @usableFromInline let current = TaskLocal<Level?>(wrappedValue: nil)
    @usableFromInline let wasUsed = Atomic<Bool>(false)
    @usableFromInline let endsWithOperation: Bool

    /// Creates a kind of scope.
    ///
    /// - Parameter endsWithOperation: Pass `true` if a task that outlives the operation that started it leaves the
    ///   operation's scope when the operation ends.
    @inlinable public init(endsWithOperation: Bool = false) {
        self.endsWithOperation = endsWithOperation
    }

    /// The contents of all scopes that the current task is in, the innermost first.
    @inlinable public var contents: [Content] {
        var contents: [Content] = []
        _ = innermost { content in
            contents.append(content)
            return false
        }
        return contents
    }

    /// Returns the content of the innermost matching scope; `nil` if there is none.
    @inlinable public func innermost(where fits: (Content) -> Bool = { _ in true }) -> Content? {
        guard wasUsed.load(ordering: .acquiring) else {
            return nil
        }
        var level = current.get()
        while let candidate = level {
            if candidate.isOpen.load(ordering: .acquiring), fits(candidate.content) {
                return candidate.content
            }
            level = candidate.outer
        }
        return nil
    }

    /// Runs an operation in a new scope, within the current task's scopes.
    @inlinable @inline(__always) public func open<Result>(
        _ content: Content,
        isolation: isolated (any Actor)? = #isolation,
        operation: () async throws -> Result
    ) async rethrows -> Result {
        let level = level(content)
        defer { end(level) }
        return try await current.withValue(level, operation: operation, isolation: isolation)
    }

    /// Runs an operation in a new scope, within the current task's scopes.
    @inlinable public func open<Result>(_ content: Content, operation: () throws -> Result) rethrows -> Result {
        let level = level(content)
        defer { end(level) }
        return try current.withValue(level, operation: operation)
    }

    /// Runs an operation outside of all scopes.
    @inlinable public func leave<Result>(operation: () throws -> Result) rethrows -> Result {
        guard wasUsed.load(ordering: .acquiring), current.get() != nil else {
            return try operation()
        }
        return try current.withValue(nil, operation: operation)
    }

    @inlinable func level(_ content: Content) -> Level {
        // Written once: each write would take the value from the other processors, which read it all the time.
        if !wasUsed.load(ordering: .relaxed) {
            wasUsed.store(true, ordering: .releasing)
        }
        return Level(content, inside: current.get())
    }

    @inlinable func end(_ level: Level) {
        if endsWithOperation {
            level.isOpen.store(false, ordering: .releasing)
        }
    }
}
