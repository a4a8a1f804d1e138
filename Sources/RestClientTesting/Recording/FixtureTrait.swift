// SPDX-License-Identifier: MIT

public import RestClient
import RestEssentials
public import Testing

/// Replays a recording to a test, or records it.
///
/// Made by `.fixture(…)`.
///
/// ```swift
/// @Test(.fixture("Fixtures/orders.har", mode: .once) { $0.rules.bodyFields = .only(["id", "price"]) })
/// func `the total covers every order`() async throws {
///     #expect(try await OrderBook().total() == 42)
/// }
/// ```
public struct FixtureTrait: TestTrait, SuiteTrait, TestScoping {
    /// What makes a test fail that passed by itself.
    public struct Report: OptionSet, Sendable {
        /// The bits.
        public let rawValue: Int

        /// Creates a set from its bits.
        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// An exchange that was recorded, and that nobody asked for.
        public static let unusedExchanges = Report(rawValue: 1)
        /// An exchange that stands behind another one of the same request: what tells the two apart is masked.
        public static let shadowedExchanges = Report(rawValue: 2)
    }

    let fixture: HARFixture
    let manager: RestClientManager?
    let report: Report
    /// What `RECORD_FIXTURES` says, when that is no mode.
    private let unknownMode: String?

    init(
        _ fixture: HARFixture,
        of manager: RestClientManager?,
        reporting report: Report,
        environment: [String: String]
    ) {
        let name = environment["RECORD_FIXTURES"]
        let mode = name.flatMap { HARFixture.Mode(name: $0) }
        var fixture = fixture
        fixture.mode = mode ?? fixture.mode
        self.fixture = fixture
        self.manager = manager
        self.report = report
        unknownMode = mode == nil ? name : nil
    }

    /// The fixture is in use once for the suite, not once for each of its tests.
    public var isRecursive: Bool { false }

    /// Says who opens the fixture: a suite or a test with arguments once for all that runs in it, since a file that is
    /// recorded can be written by one only.
    ///
    /// - Parameters:
    ///   - test: The suite or the test.
    ///   - testCase: One run of the test; `nil` for the whole.
    /// - Returns: The trait, where the fixture is to be opened.
    public func scopeProvider(for test: Test, testCase: Test.Case?) -> FixtureTrait? {
        let isWhole = test.isSuite || test.isParameterized
        return isWhole == (testCase == nil) ? self : nil
    }

    /// Runs a test with the fixture in use.
    ///
    /// - Parameters:
    ///   - test: The test.
    ///   - testCase: One run of it; `nil` for the whole.
    ///   - function: Runs it.
    /// - Throws: What the test throws, and `RestClientError` when the fixture cannot be read, is too old, or cannot be
    ///   written.
    @concurrent
    public func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        if let unknownMode {
            Issue.record(
                "RECORD_FIXTURES is '\(unknownMode)', which is none of none, once, new and all",
                sourceLocation: test.sourceLocation
            )
        }
        if let manager {
            try await manager.withFixture(fixture) { replay in
                try await function()
                note(replay, test)
            }
        } else {
            try await RestClientManager.withFixture(fixture) { replay in
                try await function()
                note(replay, test)
            }
        }
    }

    private func note(_ replay: HARReplay, _ test: Test) {
        if report.contains(.unusedExchanges) {
            note(replay.unused, "nobody asked for", test)
        }
        if report.contains(.shadowedExchanges) {
            note(replay.shadowed, "behind another exchange of the same request", test)
        }
    }

    private func note(_ exchanges: [HAR.Entry], _ what: String, _ test: Test) {
        guard !exchanges.isEmpty else {
            return
        }
        let calls = exchanges.map { "\($0.request.method) \($0.request.url)" }.joined(separator: ", ")
        Issue.record("'\(fixture.file.path)' holds what \(what): \(calls)", sourceLocation: test.sourceLocation)
    }
}

extension Trait where Self == FixtureTrait {
    /// Replays a recording to the test or suite, or records it.
    ///
    /// The suite, or the test with all its arguments, has the recording once: each recorded response is given once to whoever
    /// asks first. `RestClientManager.withFixture` says what a fixture does.
    ///
    /// The environment variable `RECORD_FIXTURES` (`none`, `once`, `new` or `all`) wins over `mode`: so fixtures are recorded
    /// anew without a change of the tests, and a build server makes sure that nothing goes to the network.
    ///
    /// - Parameters:
    ///   - path: The file; a relative path begins at the folder of the test's source file.
    ///   - mode: When requests are replayed, and when they are recorded; replayed only by default.
    ///   - manager: Whose calls are replayed; those of all managers by default.
    ///   - report: What makes the test fail; nothing by default.
    ///   - filePath: The test's source file.
    ///   - configure: Sets what else there is to a fixture: rules, order, age.
    /// - Returns: The trait.
    public static func fixture(
        _ path: String,
        mode: HARFixture.Mode = .none,
        of manager: RestClientManager? = nil,
        reporting report: FixtureTrait.Report = [],
        filePath: String = #filePath,
        configure: (inout HARFixture) -> Void = { _ in }
    ) -> Self {
        let folder = URL(filePath: filePath).deletingLastPathComponent()
        var fixture = HARFixture(URL(filePath: path, relativeTo: folder).absoluteURL, mode: mode)
        configure(&fixture)
        let environment = ProcessInfo.processInfo.environment
        return FixtureTrait(fixture, of: manager, reporting: report, environment: environment)
    }
}

extension HARFixture.Mode {
    /// The mode of that name; `nil` when there is none.
    fileprivate init?(name: String) {
        switch name {
        case "none": self = .none
        case "once": self = .once
        case "new": self = .new
        case "all": self = .all
        default: return nil
        }
    }
}
