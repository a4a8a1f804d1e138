// SPDX-License-Identifier: MIT

public import RestClient
import RestClientRecording
import RestEssentials
public import Testing

/// Replays a recording in a test, or records it.
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
    /// The findings that make a test fail.
    public enum Report: Sendable {
        /// A recorded exchange that was not requested.
        case unusedExchanges
        /// A recorded exchange that follows another one for the same masked request, because the parts that distinguish
        /// the two are masked.
        case shadowedExchanges
    }

    let fixture: HARFixture
    let manager: RestClientManager?
    let report: Set<Report>
    /// The value of `RECORD_FIXTURES` if it is not a mode.
    private let unknownMode: String?

    init(
        _ fixture: HARFixture,
        of manager: RestClientManager?,
        reporting report: Set<Report>,
        environment: [String: String]
    ) {
        let name = environment["RECORD_FIXTURES"]
        let mode = name.flatMap(HARFixture.Mode.init)
        var fixture = fixture
        fixture.mode = mode ?? fixture.mode
        self.fixture = fixture
        self.manager = manager
        self.report = report
        unknownMode = mode == nil ? name : nil
    }

    /// False: a suite uses the fixture once, not once for each of its tests.
    public var isRecursive: Bool { false }

    /// Returns the trait where the fixture is opened: once for a suite, or for a test with all its arguments, because
    /// only one scope can write a recorded file.
    ///
    /// - Parameters:
    ///   - test: The suite or the test.
    ///   - testCase: One case of the test; `nil` for the whole.
    /// - Returns: The trait, or `nil`.
    public func scopeProvider(for test: Test, testCase: Test.Case?) -> FixtureTrait? {
        let isWhole = test.isSuite || test.isParameterized
        return isWhole == (testCase == nil) ? self : nil
    }

    /// Runs a test with the fixture in use.
    ///
    /// - Parameters:
    ///   - test: The test.
    ///   - testCase: One case of it; `nil` for the whole.
    ///   - function: The test's body.
    /// - Throws: The test's error, and `RestClientError` if the fixture cannot be read, is too old, or cannot be
    ///   written.
    @concurrent
    public func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        if let unknownMode {
            Issue.record(
                "RECORD_FIXTURES is '\(unknownMode)'; the modes are none, once, new and all",
                sourceLocation: test.sourceLocation
            )
        }
        try await fixture.use(of: manager) { replay in
            try await function()
            note(replay, test)
        }
    }

    private func note(_ replay: HARReplay, _ test: Test) {
        if report.contains(.unusedExchanges) {
            note(replay.unused, "exchanges that were not requested", test)
        }
        if report.contains(.shadowedExchanges) {
            note(replay.shadowed, "exchanges that follow another one of the same request", test)
        }
    }

    private func note(_ exchanges: [HAR.Entry], _ what: String, _ test: Test) {
        guard !exchanges.isEmpty else {
            return
        }
        let calls = exchanges.map { "\($0.request.method) \($0.request.url)" }.joined(separator: ", ")
        Issue.record("'\(fixture.file.path)' contains \(what): \(calls)", sourceLocation: test.sourceLocation)
    }
}

extension Trait where Self == FixtureTrait {
    /// Replays a recording in the test or suite, or records it.
    ///
    /// The suite, or the test with all its arguments, uses the recording once: each recorded response is used for the
    /// first matching request. See ``HARFixture/use(of:isolation:operation:)``.
    ///
    /// The environment variable `RECORD_FIXTURES` (`none`, `once`, `new` or `all`) overrides `mode`, so that fixtures
    /// can be recorded again without changing the tests, and a build server can rule out network access.
    ///
    /// - Parameters:
    ///   - path: The file. A relative path starts at the folder of the test's source file.
    ///   - mode: Decides which requests are replayed and which are recorded; replayed only by default.
    ///   - manager: The manager whose calls are replayed; all managers by default.
    ///   - report: The findings that make the test fail; none by default.
    ///   - filePath: The test's source file.
    ///   - configure: Sets the fixture's rules, order and maximum age.
    /// - Returns: The trait.
    public static func fixture(
        _ path: String,
        mode: HARFixture.Mode = .none,
        of manager: RestClientManager? = nil,
        reporting report: Set<FixtureTrait.Report> = [],
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
