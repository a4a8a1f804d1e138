// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import RestClient

/// The trait, on one manager that all these tests share concurrently.
@Suite(
    .timeLimit(.minutes(5)),
    .dummies {
        Dummy(.get, "/suite").responds(.text("suite"))
        Dummy(.get, "/both").responds(.text("suite"))
    }
)
struct DummyTraitTests {
    private static let client = StubbedClient(StubTransport { _ in .text("network") })

    private var manager: RestClientManager { Self.client.manager }
    private let dummiesOfInit: DummyRegistry

    init() {
        dummiesOfInit = Self.client.manager.dummies
    }

    private func answer(_ path: PathTemplate) async throws -> String {
        try await manager.request(String.self).endpoint(path).send()
    }

    @Test(arguments: 1...8)
    func `concurrent tests register different dummies for one path`(number: Int) async throws {
        manager.dummies.register(.get, "/mine") { _ in .text("\(number)") }
        #expect(try await answer("/mine") == "\(number)")
        #expect(try await answer("/suite") == "suite")
        try manager.dummies.verify(Dummy(.get, "/mine"), times: 1)
        #expect(manager.dummies.calls.count == 2)
    }

    @Test
    func `the scope is there when the suite is made`() {
        #expect(dummiesOfInit === manager.dummies)
        #expect(dummiesOfInit !== manager.core.dummies)
        #expect(manager.dummies.mode == .strict)
    }

    @Test(.dummies { Dummy(.get, "/both").responds(.text("test")) })
    func `a test's dummies lie over its suite's`() async throws {
        #expect(try await answer("/both") == "test")
        #expect(try await answer("/suite") == "suite")
        #expect(manager.dummies.all.count == 1)
    }

    @Test(.dummies(.matched))
    func `a test's mode is its own`() async throws {
        #expect(try await answer("/other") == "network")
        #expect(try await answer("/suite") == "suite")
    }

    @Test(.dummies(of: Self.client.manager))
    func `a trait may be for one manager`() async throws {
        let other = StubbedClient().manager
        #expect(other.dummies !== manager.dummies)
        #expect(manager.dummies.all.isEmpty)
    }

    @Test(.dummies(reporting: []))
    func `a test may choose not to report unmatched calls`() async throws {
        await #expect(throws: RestClientError.self) { try await answer("/nowhere") }
    }

    // MARK: - Reports

    /// Runs work as a test with a trait, and returns the issues that the trait recorded.
    private func issues(
        of trait: DummyTrait,
        _ work: @escaping @Sendable () async throws -> Void
    ) async throws -> [String] {
        let test = try #require(Test.current)
        let issues = Recorder<String>()
        try await withKnownIssue(isIntermittent: true) {
            try await trait.provideScope(for: test, testCase: Test.Case.current, performing: work)
        } matching: { issue in
            issues.record(issue.comments.map(\.rawValue).joined())
            return true
        }
        return issues.elements
    }

    @Test
    func `an unmatched call fails the test, even if its error was ignored`() async throws {
        let manager = manager
        let errors = Recorder<String>()
        let issues = try await issues(of: .dummies(.strict) { Dummy(.post, "/nowhere").responds(.status(.ok)) }) {
            do {
                try await manager.request(Void.self).endpoint("/nowhere").send()
            } catch let error as RestClientError {
                errors.record(error.message)
            }
        }
        let nearest = "; nearest: 'POST /nowhere' (method: GET instead of POST)"
        #expect(issues == ["no dummy matched #1 GET https://api.example.com/v1/nowhere" + nearest])
        #expect(errors.elements.first?.hasSuffix(nearest) == true)
    }

    @Test
    func `calls that go to the network by design do not fail the test`() async throws {
        let manager = manager
        let issues = try await issues(of: .dummies(.matched)) {
            _ = try await manager.request(Void.self).endpoint("/nowhere").send()
        }
        #expect(issues.isEmpty)
    }

    @Test
    func `unused dummies are reported on demand`() async throws {
        let trait: DummyTrait = .dummies(reporting: [.unusedDummies]) {
            Dummy(.get, "/never")
        }
        #expect(try await issues(of: trait) {} == ["never called: 'GET /never'"])
        #expect(try await issues(of: .dummies { Dummy(.get, "/never") }) {}.isEmpty)
    }
}
