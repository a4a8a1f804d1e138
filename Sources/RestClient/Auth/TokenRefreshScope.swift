// SPDX-License-Identifier: MIT

import Synchronization

/// Marks the task that refreshes a token, and the tasks that it starts: their calls carry no token of the same source
/// while the refresh lasts.
final class TokenRefreshScope: Sendable {
    /// The innermost refresh that the task works for.
    @TaskLocal private static var current: TokenRefreshScope?

    /// True once there was a refresh: until then, calls need not look for one.
    private static let wereBegun = Atomic<Bool>(false)

    private let source: TokenSource
    private let outer: TokenRefreshScope?
    /// False once the refresh has ended: a task that it left behind is not part of it.
    private let lasts = Atomic<Bool>(true)

    private init(source: TokenSource, outer: TokenRefreshScope?) {
        self.source = source
        self.outer = outer
    }

    /// True if the task works for a refresh.
    static var isOpen: Bool { innermost != nil }

    /// The innermost refresh that the task works for.
    static var innermost: TokenRefreshScope? { innermost { _ in true } }

    /// Returns true if the task works for a refresh of this source, or for one that this refresh waits for.
    static func isOpen(for source: TokenSource) -> Bool { innermost { $0.source === source } != nil }

    /// Returns true if this is a refresh of a source, or one that such a refresh waits for.
    func includes(_ source: TokenSource) -> Bool {
        var scope: TokenRefreshScope? = self
        while let candidate = scope {
            if candidate.lasts.load(ordering: .acquiring), candidate.source === source {
                return true
            }
            scope = candidate.outer
        }
        return false
    }

    /// Runs the refresh of a source.
    static func run<Value: Sendable>(
        of source: TokenSource,
        _ operation: () async throws -> Value
    ) async throws -> Value {
        wereBegun.store(true, ordering: .releasing)
        let scope = TokenRefreshScope(source: source, outer: current)
        defer { scope.lasts.store(false, ordering: .releasing) }
        return try await $current.withValue(scope) { try await operation() }
    }

    /// Runs code that is not part of the refresh, although its task calls it: an observer's.
    static func leave<Value>(_ operation: () -> Value) -> Value {
        guard isOpen else {
            return operation()
        }
        return $current.withValue(nil) { operation() }
    }

    private static func innermost(where isWanted: (TokenRefreshScope) -> Bool) -> TokenRefreshScope? {
        guard wereBegun.load(ordering: .acquiring) else {
            return nil
        }
        var scope = current
        while let candidate = scope {
            if candidate.lasts.load(ordering: .acquiring), isWanted(candidate) {
                return candidate
            }
            scope = candidate.outer
        }
        return nil
    }
}
