// SPDX-License-Identifier: MIT

import RestClient
import RestEssentials
import TestSupport
import Testing

@testable import RestClientRecording
@testable import RestClientTesting

@Suite(.timeLimit(.minutes(5)))
struct FixtureTraitTests {
    /// Allows everything, so that the archive's own response is replayed.
    private static func open(_ fixture: inout HARFixture) {
        (fixture.rules.query, fixture.rules.bodyFields) = (.all, .all)
    }

    /// A client without a network.
    private let client = StubbedClient(StubTransport { _ in throw RestClientError(.connectionFailed, "no network") })

    private func orders(_ manager: RestClientManager) async throws -> String {
        String(decoding: try await manager.request().endpoint("/orders").query(["page": 1]).send(), as: UTF8.self)
    }

    @Test(.fixture("../Resources/archives/insomnia.har", configure: open))
    func `a test replays the file beside it, whichever manager it uses`() async throws {
        #expect(try await orders(client.manager) == #"[{"id":7},{"id":8}]"#)
        let error = await #expect(throws: RestClientError.self) { try await orders(client.manager) }
        #expect(error?.code == .notRecorded)
    }

    @Test(.fixture("../Resources/archives/insomnia.har", configure: open))
    func `a call of a callback stays in the scope of its fixture`() async {
        let texts = Recorder<String?>()

        client.manager.request().endpoint("/orders").query(["page": 1])
            .resume { texts.record((try? $0.get().model).map { String(decoding: $0, as: UTF8.self) }) }
        await client.manager.calls.finished()

        #expect(texts.elements == [#"[{"id":7},{"id":8}]"#])
        #expect(client.requests.isEmpty)
    }

    @Test(.fixture("../Resources/archives/insomnia.har", configure: open))
    func `a prefetched call stays in the scope of its fixture`() async throws {
        let node = client.manager.request().endpoint("/orders").query(["page": 1])
            .cache(.elseNetwork(maxAge: .seconds(60)))

        client.manager.cache.prefetch(node)
        await client.manager.calls.finished()
        let response = try await node.response()

        #expect(response.source.isCache)
        #expect(String(decoding: response.model, as: UTF8.self) == #"[{"id":7},{"id":8}]"#)
        #expect(client.requests.isEmpty)
    }

    @Test(.fixture("../Resources/archives/insomnia.har", configure: open), .serialized, arguments: [true, false])
    func `a test with arguments has the recording once for all of them`(isFirst: Bool) async throws {
        let answer = try? await orders(client.manager)
        #expect((answer != nil) == isFirst)
    }

    @Suite(.serialized, .fixture("../Resources/archives/insomnia.har", configure: open))
    struct Inner {
        private let outer = FixtureTraitTests()

        @Test(arguments: [true, false])
        func `a suite has the recording once for all of its tests`(isFirst: Bool) async throws {
            let answer = try? await outer.orders(outer.client.manager)
            #expect((answer != nil) == isFirst)
        }
    }

    /// The issues that a test with the trait has.
    private func issues(
        of trait: FixtureTrait,
        _ work: @escaping @Sendable () async throws -> Void = {}
    ) async throws -> [String] {
        let test = try #require(Test.current)
        let issues = Recorder<String>()
        try await withKnownIssue(isIntermittent: true) {
            try await trait.provideScope(for: test, testCase: Test.Case.current, performing: work)
        } matching: { issue in
            issues.record(issue.comments.map(\.rawValue).joined() + (issue.error.map { "\($0)" } ?? ""))
            return true
        }
        return issues.elements
    }

    @Test
    func `exchanges that were not requested are reported on demand`() async throws {
        let path = "../Resources/archives/insomnia.har"

        #expect(try await issues(of: .fixture(path)).isEmpty)
        let texts = try await issues(of: .fixture(path, reporting: [.unusedExchanges], configure: Self.open))
        #expect(texts.count == 1)
        #expect(
            texts[0]
                .hasSuffix(
                    "archives/insomnia.har' contains exchanges that were not requested: GET https://api.example.com/v1/orders?page=1"
                )
        )
    }

    @Test
    func `exchanges that follow an equal request are reported on demand`() async throws {
        let path = "../Resources/archives/chrome.har"

        #expect(try await issues(of: .fixture(path, reporting: [.shadowedExchanges])).isEmpty)
        let directory = try TemporaryDirectory()
        let file = directory.path("trait.har")
        let entry = try #require(try HAR(data: TestResource.bytes("archives/chrome.har")).entries.first)
        try HAR(entries: [entry, entry]).data().write(to: file)
        let texts = try await issues(of: .fixture(file.path, reporting: [.shadowedExchanges]))
        #expect(texts.first?.contains("exchanges that follow another one of the same request: GET") == true)
    }

    @Test
    func `a recording that is too old, or is not there, fails the test`() async throws {
        let old: FixtureTrait = .fixture("../Resources/archives/insomnia.har") { fixture in
            fixture.maxAge = .seconds(60)
            fixture.now = { Date(timeIntervalSince1970: 1_900_000_000) }
        }

        #expect(try await issues(of: old).first?.hasPrefix("recordingExpired") == true)
        #expect(try await issues(of: .fixture("nowhere.har")).first?.hasPrefix("invalidRecording") == true)
    }

    @Test
    func `a test is recorded for one manager`() async throws {
        let directory = try TemporaryDirectory()
        let file = directory.path("trait.har")
        let recorded = StubbedClient(answering: .text("1"))
        let other = StubbedClient(answering: .text("2"))

        let found = try await issues(of: .fixture(file.path, mode: .once, of: recorded.manager)) {
            _ = try await recorded.manager.request(String.self).endpoint("/mine").send()
            _ = try await other.manager.request(String.self).endpoint("/other").send()
        }

        #expect(found.isEmpty)
        #expect(try HAR(file: file).entries.map(\.request.url) == ["https://api.example.com/v1/mine"])
    }

    /// Reads lines and events as they come, and sends a form.
    private static func transfers(_ manager: RestClientManager) async throws -> [String] {
        var texts: [String] = []
        for try await line in try await manager.request(Void.self).endpoint("/lines").stream().lines() {
            texts.append(line)
        }
        for try await event in manager.request(Void.self).endpoint("/events").serverSentEvents(.once) {
            texts.append("\(event.type) \(event.data)")
        }
        let form = MultipartForm().field("name", "value").data("photo", Data([1, 2, 3]), fileName: "photo.jpg")
        let node = manager.request(String.self).endpoint("/up").post().dogma(.raw)
        return texts + [try await node.body(.multipart(form)).send()]
    }

    @Test
    func `a fixture records and replays streams, events and forms like plain calls`() async throws {
        let directory = try TemporaryDirectory()
        let file = directory.path("trait.har").path
        let online = StubbedClient(
            StubTransport { request in
                switch request.url.split(separator: "/").last {
                case "lines": .text("one\ntwo")
                case "events":
                    RawResponse(headers: [.contentType: "text/event-stream"], body: Data("event: a\ndata: 1\n\n".utf8))
                default: .text("stored")
                }
            }
        )
        let texts = Recorder<[String]>()

        for manager in [online.manager, client.manager] {
            // The boundary of a form is another one each time.
            let trait: FixtureTrait = .fixture(file, mode: .once) { $0.rules.allowsOtherBodies = true }
            let found = try await issues(of: trait) { texts.record(try await Self.transfers(manager)) }
            #expect(found.isEmpty)
        }

        let expected = ["one", "two", "a 1", "stored"]
        #expect(texts.elements == [expected, expected])
        #expect(online.requests.count == 3)
        #expect(client.requests.isEmpty)
    }

    @Test(
        arguments: [
            ([:], .once), (["RECORD_FIXTURES": "none"], .none), (["RECORD_FIXTURES": "once"], .once),
            (["RECORD_FIXTURES": "new"], .new), (["RECORD_FIXTURES": "all"], .all), (["RECORD_FIXTURES": "yes"], .once),
        ] as [([String: String], HARFixture.Mode)]
    )
    func `the environment wins over the mode of the code`(environment: [String: String], mode: HARFixture.Mode) {
        let fixture = HARFixture(URL(filePath: "unused"), mode: .once)

        #expect(FixtureTrait(fixture, of: nil, reporting: [], environment: environment).fixture.mode == mode)
    }

    @Test
    func `a mode that there is not is an issue, and the code's holds`() async throws {
        let directory = try TemporaryDirectory()
        let fixture = HARFixture(directory.path("trait.har"), mode: .once)
        let trait = FixtureTrait(fixture, of: nil, reporting: [], environment: ["RECORD_FIXTURES": "yes"])

        #expect(try await issues(of: trait) == ["RECORD_FIXTURES is 'yes'; the modes are none, once, new and all"])
    }
}
