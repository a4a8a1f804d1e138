// SPDX-License-Identifier: MIT

import Testing

/// Runs each test of a suite once for each of some transports, as ``TransportKind/chosen``.
///
/// An issue says which one it was.
struct EachTransport: SuiteTrait, TestTrait, TestScoping {
    let kinds: [TransportKind]
    let isRecursive = true

    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable @concurrent () async throws -> Void
    ) async throws {
        for kind in kinds {
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

extension Trait where Self == EachTransport {
    /// Runs each test once for each transport over SwiftNIO.
    static var eachTransport: Self { Self(kinds: TransportKind.ours) }

    /// The same with one of them that speaks to servers of TLS from its first request on.
    static var eachSecureTransport: Self { Self(kinds: TransportKind.ours + [.directOnly]) }
}
