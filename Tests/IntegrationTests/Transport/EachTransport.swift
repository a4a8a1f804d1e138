// SPDX-License-Identifier: MIT

import Testing

/// Runs each test of a suite once for each of some transports, as ``TransportKind/chosen``.
///
/// An issue says which one it was. A test with the trait ``Once`` runs over the first one alone.
struct EachTransport: SuiteTrait, TestTrait, TestScoping {
    let kinds: [TransportKind]
    let isRecursive = true

    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable @concurrent () async throws -> Void
    ) async throws {
        let isOnce = test.traits.contains { $0 is Once }
        for kind in isOnce ? kinds.prefix(1) : kinds[...] {
            try await TransportKind.$chosen.withValue(kind) {
                try await Self.naming(kind).provideScope(for: test, testCase: testCase, performing: function)
            }
        }
    }

    private static func naming(_ kind: TransportKind) -> IssueHandlingTrait {
        .compactMapIssues { issue in
            var issue = issue
            issue.comments.append("over \(kind)")
            return issue
        }
    }
}

/// Marks a test of a suite with ``EachTransport`` that is about one protocol, or names the protocols of its servers.
struct Once: TestTrait {}

extension Trait where Self == EachTransport {
    /// Runs each test once for each version of HTTP, with servers that speak it unless the test names other ones.
    static var eachTransport: Self { Self(kinds: TransportKind.ours) }

    /// Runs each test with a transport that offers HTTP/2, and with one that does not, for servers of TLS.
    static var eachSecureTransport: Self { Self(kinds: TransportKind.overTLS) }
}

extension Trait where Self == Once {
    static var once: Self { Self() }
}
