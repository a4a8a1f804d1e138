// SPDX-License-Identifier: MIT

public import RestClient
public import Testing

/// Gives each test its own dummies, which no other test sees, even if many tests run concurrently on one manager.
///
/// Made by `.dummies(…)`.
///
/// ```swift
/// @Test(.dummies { Dummy(.get, "/orders").responds(.json([Order(id: 7)])) })
/// func `the total covers every order`() async throws {
///     #expect(try await OrderBook().total() == 1)
/// }
/// ```
public struct DummyTrait: TestTrait, SuiteTrait, TestScoping {
    /// The findings that make a test fail.
    public enum Report: Sendable {
        /// A call that no dummy matched although dummies are strict, even if the tested code ignored its error.
        case unmatchedCalls
        /// A dummy that was never called.
        case unusedDummies
    }

    let mode: DummyMode
    let manager: RestClientManager?
    let report: Set<Report>
    let dummies: @Sendable () -> [Dummy]

    /// True: the scope is for each test of a suite, not for the suite as a whole.
    public var isRecursive: Bool { true }

    /// Runs a test in a scope with its own dummies.
    @concurrent
    public func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else {
            try await function()
            return
        }
        if let manager {
            try await manager.withDummies(mode, dummies()) {
                try await run(function, manager.dummies, test)
            }
        } else {
            try await RestClientManager.withDummies(mode, dummies()) { registry in
                try await run(function, registry, test)
            }
        }
    }

    private func run(
        _ function: @concurrent @Sendable () async throws -> Void,
        _ registry: DummyRegistry,
        _ test: Test
    ) async throws {
        try await function()
        if report.contains(.unmatchedCalls) {
            Self.record(test) { () throws(RestClientError) in try registry.verifyNoRefusedCalls() }
        }
        if report.contains(.unusedDummies) {
            Self.record(test) { () throws(RestClientError) in try registry.verifyAllCalled() }
        }
    }

    private static func record(_ test: Test, _ verify: () throws(RestClientError) -> Void) {
        do throws(RestClientError) {
            try verify()
        } catch {
            Issue.record(Comment(rawValue: error.message), sourceLocation: test.sourceLocation)
        }
    }
}

extension Trait where Self == DummyTrait {
    /// Gives the test, or each test of the suite, its own dummies.
    ///
    /// The scope begins before the suite's `init` and ends with the test. Within it, `manager.dummies` are the dummies
    /// of the scope, and a test may register more of them; see `RestClientManager.withDummies`. Traits of a suite and
    /// of a test nest.
    ///
    /// - Parameters:
    ///   - mode: Decides which requests dummies respond to; all by default.
    ///   - manager: The manager whose calls they respond to; all managers by default.
    ///   - report: The findings that make the test fail; by default, a call that no dummy matched although dummies are
    ///   strict.
    ///   - dummies: The dummies, one below the other. Created again for each test.
    /// - Returns: The trait.
    public static func dummies(
        _ mode: DummyMode = .strict,
        of manager: RestClientManager? = nil,
        reporting report: Set<DummyTrait.Report> = [.unmatchedCalls],
        @DummyBuilder _ dummies: @escaping @Sendable () -> [Dummy] = { [] }
    ) -> Self {
        DummyTrait(mode: mode, manager: manager, report: report, dummies: dummies)
    }
}
