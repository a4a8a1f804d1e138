// SPDX-License-Identifier: MIT

import RestEssentials

/// Marks the task that refreshes a token, and the tasks that it starts: their calls carry no token of the same source
/// while the refresh lasts.
enum TokenRefreshScope {
    /// A task that outlives the refresh is not part of it.
    private static let scopes = TaskScope<TokenSource>(endsWithOperation: true)

    /// The sources for whose refreshes the task works, the innermost first.
    static var sources: [TokenSource] { scopes.contents }

    static var isOpen: Bool { scopes.innermost() != nil }

    /// Returns true if the task works for a refresh of this source, or for one that this refresh waits for.
    static func isOpen(for source: TokenSource) -> Bool { scopes.innermost { $0 === source } != nil }

    static func run<Value: Sendable>(
        of source: TokenSource,
        _ operation: () async throws -> Value
    ) async throws -> Value {
        try await scopes.open(source, operation: operation)
    }

    /// Runs code of an observer, which is not part of the refresh although its task calls it.
    static func leave<Value>(_ operation: () -> Value) -> Value {
        scopes.leave(operation: operation)
    }
}
