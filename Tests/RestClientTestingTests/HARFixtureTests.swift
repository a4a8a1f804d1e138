// SPDX-License-Identifier: MIT

import HTTPTypes
import RestClient
import RestEssentials
import TestSupport
import Testing

@testable import RestClientRecording
@testable import RestClientTesting

@Suite
struct HARFixtureTests {
    private static let start = Date(timeIntervalSince1970: 1_795_251_600)

    private let directory: TemporaryDirectory
    private let fixture: HARFixture

    init() throws {
        directory = try TemporaryDirectory()
        var fixture = HARFixture(directory.path("fixture.har"))
        fixture.rules.bodyFields = .all
        fixture.rules.allowsOtherBodies = true
        fixture.now = { Self.start }
        self.fixture = fixture
    }

    /// Runs a test with a client whose server responds with the number of the exchange.
    private func withClient(_ test: (StubbedClient, HARFixture) async throws -> Void) async throws {
        let count = Recorder<Void>()
        let client = StubbedClient(
            StubTransport { _ in
                count.record(())
                return .text("\(count.count)", headers: [.contentType: "text/plain", .contentLength: "1"])
            }
        )
        try await test(client, fixture)
    }

    /// Sends requests to these paths within a fixture, and returns the responses.
    private func run(
        _ client: StubbedClient,
        _ fixture: HARFixture,
        mode: HARFixture.Mode,
        _ paths: String...
    ) async throws -> [String] {
        var fixture = fixture
        fixture.mode = mode
        return try await fixture.use(of: client.manager) { _ in
            var answers: [String] = []
            for path in paths {
                answers.append(try await client.manager.request(String.self).endpoint(PathTemplate(path)).send())
            }
            return answers
        }
    }

    @Test
    func `once records if there is no file, and replays if there is one`() async throws {
        try await withClient { client, fixture in
            let recorded = try await run(client, fixture, mode: .once, "/a", "/b")
            let replayed = try await run(client, fixture, mode: .once, "/b", "/a")
            #expect(recorded == ["1", "2"])
            #expect(replayed == ["2", "1"])
            #expect(client.requests.count == 2)
        }
    }

    @Test
    func `none only replays, and the error lists what was recorded`() async throws {
        try await withClient { client, fixture in
            _ = try await run(client, fixture, mode: .once, "/a")
            let error = await #expect(throws: RestClientError.self) {
                try await run(client, fixture, mode: .none, "/c")
            }
            #expect(error?.code == .notRecorded)
            #expect(error?.message.contains("'GET https://api.example.com/v1/a'") == true)
            #expect(client.requests.count == 1)
        }
    }

    @Test
    func `none without a file fails before the operation begins`() async throws {
        try await withClient { client, fixture in
            let error = await #expect(throws: RestClientError.self) {
                try await run(client, fixture, mode: .none, "/a")
            }
            #expect(error?.code == .invalidRecording)
            #expect(error?.message == "there is no recording '\(fixture.file.path)'; the mode .once creates it")
            #expect(client.requests.isEmpty)
        }
    }

    @Test
    func `new replays recorded exchanges, and adds others`() async throws {
        try await withClient { client, fixture in
            _ = try await run(client, fixture, mode: .new, "/a")
            #expect(try await run(client, fixture, mode: .new, "/a", "/b", "/a") == ["1", "2", "3"])
            #expect(try await run(client, fixture, mode: .none, "/b", "/a", "/a") == ["2", "1", "3"])
        }
    }

    @Test
    func `all replaces the recording`() async throws {
        try await withClient { client, fixture in
            _ = try await run(client, fixture, mode: .once, "/a", "/b")
            #expect(try await run(client, fixture, mode: .all, "/b") == ["3"])
            #expect(try HAR(file: fixture.file).entries.map(\.request.url) == ["https://api.example.com/v1/b"])
        }
    }

    @Test
    func `a recorded response is used once`() async throws {
        try await withClient { client, fixture in
            _ = try await run(client, fixture, mode: .once, "/a")
            let error = await #expect(throws: RestClientError.self) {
                try await run(client, fixture, mode: .none, "/a", "/a")
            }
            #expect(error?.message.contains("was recorded once, and is requested once more") == true)
        }
    }

    @Test
    func `strict order names what was recorded next`() async throws {
        try await withClient { client, fixture in
            _ = try await run(client, fixture, mode: .once, "/a", "/b")
            var fixture = fixture
            fixture.order = .strict
            #expect(try await run(client, fixture, mode: .none, "/a", "/b") == ["1", "2"])
            let strict = fixture
            let error = await #expect(throws: RestClientError.self) { try await run(client, strict, mode: .none, "/b") }
            #expect(error?.message.contains("GET https://api.example.com/v1/a was recorded next") == true)
        }
    }

    @Test
    func `unused and shadowed exchanges are listed`() async throws {
        try await withClient { client, fixture in
            _ = try await run(client, fixture, mode: .once, "/a", "/a", "/b")
            let urls = try await fixture.use(of: client.manager) { fixture in
                _ = try await client.manager.request(String.self).endpoint("/a").send()
                return (fixture.unused.map(\.request.url), fixture.shadowed.map(\.request.url))
            }
            #expect(urls.0 == ["https://api.example.com/v1/a", "https://api.example.com/v1/b"])
            #expect(urls.1 == ["https://api.example.com/v1/a"])
        }
    }

    @Test
    func `a recording that is too old fails, and one just old enough does not`() async throws {
        try await withClient { client, fixture in
            _ = try await run(client, fixture, mode: .once, "/a")
            var fixture = fixture
            fixture.maxAge = .seconds(3_600)
            fixture.now = { Self.start.addingTimeInterval(3_600) }
            #expect(try await run(client, fixture, mode: .none, "/a") == ["1"])
            fixture.now = { Self.start.addingTimeInterval(3_601) }
            let old = fixture
            let error = await #expect(throws: RestClientError.self) { try await run(client, old, mode: .none, "/a") }
            #expect(error?.code == .recordingExpired)
            #expect(error?.message.contains("is 1 h 00 min old, and may be 1 h 00 min") == true)
            fixture.now = { Self.start.addingTimeInterval(40 * 86_400) }
            let older = fixture
            let other = await #expect(throws: RestClientError.self) { try await run(client, older, mode: .once, "/a") }
            #expect(other?.message.contains("is 40 days old, and may be 1 h 00 min; record it again") == true)
            #expect(try await run(client, old, mode: .all, "/a") == ["2"])
        }
    }

    @Test
    func `requests are distinguished by what the rules allow, except the order of the query`() async throws {
        try await withClient { client, fixture in
            var fixture = fixture
            fixture.rules.query = .only(["page", "x"])
            fixture.mode = .once
            let node = client.manager.request(String.self).endpoint("/a")
            let nodes = [node.query(["page": 1]).query(["x": 1]), node.query(["page": 2]), node.query(["token": "a"])]
            try await fixture.use(of: client.manager) { _ in
                for node in nodes {
                    _ = try await node.send()
                }
            }
            fixture.mode = .none
            let answers = try await fixture.use(of: client.manager) { _ in
                [
                    try await node.query(["token": "b"]).send(), try await node.query(["page": 2]).send(),
                    try await node.query(["x": 1]).query(["page": 1]).send(),
                ]
            }
            #expect(answers == ["3", "2", "1"])
        }
    }

    @Test
    func `bodies distinguish requests`() async throws {
        try await withClient { client, fixture in
            var fixture = fixture
            fixture.mode = .once
            let node = client.manager.request(String.self).method(.post).endpoint("/a")
            try await fixture.use(of: client.manager) { _ in
                _ = try await node.values(["id": 1]).send()
                _ = try await node.values(["id": 2]).send()
            }
            fixture.mode = .none
            let replayed = fixture
            let answer = try await replayed.use(of: client.manager) { _ in
                try await node.values(["id": 2]).send()
            }
            #expect(answer == "2")
            let error = await #expect(throws: RestClientError.self) {
                try await replayed.use(of: client.manager) { _ in try await node.values(["id": 3]).send() }
            }
            #expect(error?.message.contains("recorded with another body") == true)
        }
    }

    @Test
    func `a replayed response passes the pipeline like a response of the server`() async throws {
        try await withClient { client, fixture in
            _ = try await run(client, fixture, mode: .once, "/a")
            let response = try await fixture.use(of: client.manager) { _ in
                try await client.manager.request(String.self).endpoint("/a").response()
            }
            #expect(response.source == .dummy)
            #expect(response.headers[.contentType] == "text/plain")
            #expect(response.headers[.contentLength] == "1")
            let refused = await #expect(throws: RestClientError.self) {
                try await fixture.use(of: client.manager) { _ in
                    try await client.manager.request(String.self).endpoint("/a").accepting([.notFound]).send()
                }
            }
            #expect(refused?.code == .unacceptableStatus)
        }
    }

    @Test
    func `a replayed response is stored for the fixture only`() async throws {
        try await withClient { client, fixture in
            var fixture = fixture
            fixture.mode = .once
            let node = client.manager.request(String.self).endpoint("/a").cache(.elseNetwork())
            let (first, second) = try await fixture.use(of: client.manager) { _ in
                (try await node.response().source, try await node.response().source)
            }
            #expect(first == .network)
            #expect(second.isCache)
            let (replayed, unused) = try await fixture.use(of: client.manager) { fixture in
                (try await node.response().source, fixture.unused.count)
            }
            #expect(replayed == .dummy)
            #expect(unused == 0)
            #expect(try await node.response().source == .network)
            let other = try await fixture.use { _ in try await node.response().source }
            #expect(other == .dummy)
        }
    }

    @Test
    func `concurrent tests on one manager share neither responses nor requests`() async throws {
        try await withClient { client, fixture in
            let node = client.manager.request(String.self).endpoint("/a").cache(.elseNetwork())
            let archives = (0..<8)
                .map { number in
                    HAR(entries: [
                        HAR.Entry(
                            startedAt: Self.start,
                            request: HAR.Request(method: "GET", url: "https://api.example.com/v1/a"),
                            response: HAR.Response(status: 200, body: HAR.Body(Data("recorded \(number)".utf8)))
                        )
                    ])
                }
            let answers = try await withThrowingTaskGroup(of: (Int, String).self) { group in
                for (number, archive) in archives.enumerated() {
                    group.addTask {
                        let replay = HARReplay(archive, rules: fixture.rules)
                        return try await replay.replay(of: client.manager, isolation: nil) {
                            (number, try await node.send())
                        }
                    }
                }
                return try await group.reduce(into: [Int: String]()) { $0[$1.0] = $1.1 }
            }
            #expect(answers == Dictionary(uniqueKeysWithValues: (0..<8).map { ($0, "recorded \($0)") }))
        }
    }

    @Test
    func `an operation that failed leaves the file as it was`() async throws {
        try await withClient { client, fixture in
            await #expect(throws: RestClientError.self) {
                var fixture = fixture
                fixture.mode = .all
                try await fixture.use(of: client.manager) { _ in
                    _ = try await client.manager.request(String.self).endpoint("/a").send()
                    throw RestClientError(.timeout, "later")
                }
            }
            #expect(!FileManager.default.fileExists(atPath: fixture.file.path))
        }
    }

    @Test
    func `other tasks, and other managers, see nothing of it`() async throws {
        try await withClient { client, fixture in
            _ = try await run(client, fixture, mode: .once, "/a")
            let other = StubbedClient(answering: .text("other"))
            try await fixture.use(of: client.manager) { _ in
                let outside = try await other.manager.request(String.self).endpoint("/a").send()
                let detached = Task.detached { try await client.manager.request(String.self).endpoint("/a").send() }
                let beside = try await detached.value
                #expect(outside == "other")
                #expect(beside == "2")
            }
        }
    }
}
