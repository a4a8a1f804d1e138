// SPDX-License-Identifier: MIT

public import RestClient
public import Testing

/// Gives each test dummies of its own, which no other test sees, however many run at once on one manager.
///
/// Made by `.dummies(…)`.
///
/// ```swift
/// @Test(.dummies { Dummy(.get, "/orders").answers(.json([Order(id: 7)])) })
/// func `the total covers every order`() async throws {
///     #expect(try await OrderBook().total() == 1)
/// }
/// ```
public struct DummyTrait: TestTrait, SuiteTrait, TestScoping {
    /// What makes a test fail that passed by itself.
    public struct Report: OptionSet, Sendable {
        /// The bits.
        public let rawValue: Int

        /// Creates a set from its bits.
        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// A call that no dummy answered although dummies are strict, even when the tested code swallowed its error.
        public static let unmatchedCalls = Report(rawValue: 1)
        /// A dummy that was never called.
        public static let unusedDummies = Report(rawValue: 2)
    }

    let mode: DummyMode
    let manager: RestClientManager?
    let report: Report
    let dummies: @Sendable () -> [Dummy]

    /// The scope is for each test of a suite, not for the suite as a whole.
    public var isRecursive: Bool { true }

    /// Runs a test in a scope with dummies of its own.
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
    /// Gives the test, or each test of the suite, dummies of its own.
    ///
    /// The scope begins before the suite's `init` and ends with the test. Inside of it `manager.dummies` are the dummies of
    /// the scope: a test may register more of them. `RestClientManager.withDummies` says what a scope is. Traits of a suite
    /// and of a test nest.
    ///
    /// - Parameters:
    ///   - mode: Which requests dummies answer; all by default.
    ///   - manager: Whose calls they answer; those of all managers by default.
    ///   - report: What makes the test fail; by default, a call that no dummy answered although dummies are strict.
    ///   - dummies: What to register, one below the other; made anew for each test.
    /// - Returns: The trait.
    public static func dummies(
        _ mode: DummyMode = .strict,
        of manager: RestClientManager? = nil,
        reporting report: DummyTrait.Report = .unmatchedCalls,
        @DummyBuilder _ dummies: @escaping @Sendable () -> [Dummy] = { [] }
    ) -> Self {
        DummyTrait(mode: mode, manager: manager, report: report, dummies: dummies)
    }
}
