// SPDX-License-Identifier: MIT

import HTTPTypes
import RestClient
import RestEssentials
import TestSupport
import Testing

@testable import RestClientRecording

@Suite
struct HARRecorderTests {
    private static let start = Date(timeIntervalSince1970: 1_795_251_600)

    private func recorder(_ change: (inout RecordingRules) -> Void = { _ in }) -> HARRecorder {
        var rules = RecordingRules()
        change(&rules)
        return HARRecorder(rules: rules, now: { Self.start })
    }

    @Test
    func `a manager's exchanges are recorded, from the start to the stop`() async throws {
        let client = StubbedClient(answering: .text("a"))
        let recorder = recorder()
        let node = client.manager.request(Void.self)

        try await client.manager.run(node.endpoint("/before"))
        client.manager.recording.start(recorder)
        client.manager.recording.start(recorder)
        try await client.manager.run(node.endpoint("/during"))
        client.manager.recording.stop(recorder)
        try await client.manager.run(node.endpoint("/after"))

        #expect(recorder.archive.entries.map(\.request.url) == ["https://api.example.com/v1/during"])
    }

    @Test
    func `a scope's exchanges are recorded, including those of child tasks, and no others`() async throws {
        let client = StubbedClient(answering: .text("a"))
        let recorder = recorder()
        let node = client.manager.request(Void.self)

        try await recorder.record {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await client.manager.run(node.endpoint("/child")) }
                try await group.waitForAll()
            }
        }
        try await client.manager.run(node.endpoint("/outside"))

        #expect(recorder.archive.entries.map(\.request.url) == ["https://api.example.com/v1/child"])
    }

    @Test
    func `a signature is masked, and another one gets the recorded response`() async throws {
        struct Signer: RequestSigner {
            let identity = "key"
            let counter = Recorder<String>()

            func sign(_ request: OutgoingRequest) async throws -> RequestSignature {
                counter.record(request.url)
                let text = "s3cret \(counter.count)"
                return RequestSignature(headers: [.authorization: text], query: [("X-Signature", text)])
            }
        }
        let client = StubbedClient(answering: .text("a"), .text("b"))
        var rules = RecordingRules.exceptSecrets
        rules.allowsOtherBodies = true
        let recorder = HARRecorder(rules: rules)
        let node = client.manager.request(String.self).endpoint("/a").signing(Signer())

        let recorded = try await recorder.record { try await client.manager.run(node) }
        let replay = HARReplay(recorder.archive, rules: rules)
        let replayed = try await replay.replay { try await client.manager.run(node) }

        #expect(client.requests.map { $0.headers[.authorization] } == ["s3cret 1"])
        #expect(client.requests.first?.url == "https://api.example.com/v1/a?X-Signature=s3cret%201")
        #expect(!String(decoding: try recorder.archive.data(), as: UTF8.self).contains("s3cret"))
        #expect([recorded, replayed] == ["a", "a"])
        #expect(replay.unused.isEmpty)
    }

    @Test
    func `only so many exchanges are kept, those that ended last`() async throws {
        let client = StubbedClient(answering: .text("a"))
        let recorder = HARRecorder(limit: 2)

        try await recorder.record {
            for path in ["/a", "/b", "/c"] as [PathTemplate] {
                try await client.manager.run(client.manager.request(Void.self).endpoint(path))
            }
        }

        #expect(recorder.archive.entries.map(\.request.url.last) == ["b", "c"])
    }

    @Test
    func `a run of a graph is recorded on any thread of its nodes`() async throws {
        let client = StubbedClient(answering: .text("a"))
        let recorder = recorder()
        var graph = JobGraph("graph")
        let first = graph.request("first") { RequestNode(String.self).endpoint("/first") }
        let numbers = graph.local("numbers", after: first) { _ in [1, 2, 3, 4] }
        _ = graph.forEach("each", in: numbers, limit: 2) { number in
            RequestNode(String.self).endpoint("/items/{number}").parameter("number", number)
        }

        let run = try await recorder.record { try await client.manager.run(graph) }
        try await client.manager.run(client.manager.request(Void.self).endpoint("/outside"))

        #expect(run.isSuccess)
        let names = recorder.archive.entries.compactMap { $0.request.url.split(separator: "/").last }
        #expect(names.first == "first")
        #expect(names.sorted() == ["1", "2", "3", "4", "first"])
    }

    @Test
    func `scopes nest, and each recorder has the exchanges within its own`() async throws {
        let client = StubbedClient(answering: .text("a"))
        let (outer, inner) = (recorder(), recorder())
        let node = client.manager.request(Void.self)

        try await outer.record {
            try await client.manager.run(node.endpoint("/1"))
            try await inner.record { try await client.manager.run(node.endpoint("/2")) }
        }

        #expect(outer.archive.entries.count == 2)
        #expect(inner.archive.entries.map(\.request.url) == ["https://api.example.com/v1/2"])
    }

    @Test
    func `an exchange is written with its timings, and without forbidden values`() async throws {
        var answer = RawResponse.text(#"{"id": 7, "name": "Kim"}"#, headers: [.contentType: "application/json"])
        answer.timings = ExchangeTimings(
            connecting: .milliseconds(3),
            sending: .milliseconds(1),
            waiting: .milliseconds(20),
            receiving: .milliseconds(2)
        )
        let client = StubbedClient(answering: answer)
        let recorder = recorder { $0.bodyFields = .only(["id"]) }

        try await recorder.record {
            try await client.manager.run(
                client.manager.request(Void.self).method(.post).endpoint("/a").bearer("s3cret").values(["id": 1])
            )
        }

        let entry = try #require(recorder.archive.entries.first)
        #expect(entry.startedAt == Self.start)
        #expect(entry.timings == HAR.Timings(blocked: 0, connect: 3, send: 1, wait: 20, receive: 2))
        #expect(entry.request.headers.contains(HAR.Field("Authorization", "<redacted>")))
        #expect(entry.request.body?.text == #"{"id":1}"#)
        #expect(entry.response.body.text == #"{"id":7,"name":"<redacted>"}"#)
        #expect(!String(decoding: try recorder.archive.data(), as: UTF8.self).contains("s3cret"))
    }

    @Test
    func `an exchange that failed is recorded with the reason`() async throws {
        let client = StubbedClient(StubTransport { _ in throw RestClientError(.connectionClosed, "cut off") })
        let recorder = recorder()

        await recorder.record { _ = await client.failure { $0.endpoint("/a") } }

        let response = try #require(recorder.archive.entries.first?.response)
        #expect(response.status == 0)
        #expect(response.error?.contains("cut off") == true)
    }

    @Test
    func `each redirect is an exchange, and responses of the cache are not`() async throws {
        let client = StubbedClient(answering: .redirect(302, to: "/b"), .text("b"))
        let recorder = recorder()
        let node = client.manager.request(Void.self).endpoint("/a").cache(.elseNetwork())

        try await recorder.record {
            try await client.manager.run(node)
            try await client.manager.run(node)
        }

        #expect(recorder.archive.entries.map(\.response.status) == [302, 200])
    }

    @Test
    func `a written archive conforms to the format`() async throws {
        let client = StubbedClient(
            answering: .text("a", headers: [.contentType: "text/plain"]),
            RawResponse(body: Data([0xFF]))
        )
        let recorder = recorder { $0.allowsOtherBodies = true }
        try await recorder.record {
            try await client.manager.run(client.manager.request(Void.self).endpoint("/a").query(["q": "x"]))
            try await client.manager.run(
                client.manager.request(Void.self).method(.post).endpoint("/b").body(Data([0xFE]))
            )
            _ = await client.failure { $0.endpoint("/c").accepting([.notFound]) }
        }

        let value = try JSONDecoder().decode(JSONValue.self, from: recorder.archive.data())

        #expect(HARStructure.defects(of: value) == [])
        #expect(HARStructure.defects(of: ["log": ["version": 1]]) != [])
    }

    @Test
    func `a file is its owner's only, and is not written when it would hold a secret`() async throws {
        let directory = try TemporaryDirectory()
        let file = directory.path("orders.har")
        let key = "AKIA" + "ABCDEFGHIJ234567"
        let client = StubbedClient(answering: .text("a"))
        let recorder = recorder { $0.query = .only(["key", "page"]) }

        try await recorder.record {
            try await client.manager.run(client.manager.request(Void.self).endpoint("/a").query(["page": 1]))
        }
        try recorder.write(to: file)
        let written = try HAR(file: file)
        try await recorder.record {
            try await client.manager.run(client.manager.request(Void.self).endpoint("/a").query("key", key))
        }
        let error = #expect(throws: RestClientError.self) { try recorder.write(to: file) }

        #expect(error?.code == .secretInRecording)
        #expect(error?.message.contains("entries[1].request.url") == true)
        #expect(try HAR(file: file) == written)
        let permissions = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
        #expect(permissions == 0o600)
    }

    @Test
    func `a folder that is missing is made, for its owner only`() throws {
        let directory = try TemporaryDirectory()
        let folder = directory.path("Fixtures")
        let file = folder.appendingPathComponent("orders.har")

        try HARRecorder().write(to: file)

        #expect(try HAR(file: file).entries.isEmpty)
        let permissions = try FileManager.default.attributesOfItem(atPath: folder.path)[.posixPermissions] as? Int
        #expect(permissions == 0o700)
    }

    @Test
    func `a symbolic link in the place of the file is replaced, and not what it leads to`() throws {
        let directory = try TemporaryDirectory()
        let file = directory.path("orders.har")
        let victim = directory.path("victim")
        try Data("keep me".utf8).write(to: victim)
        try FileManager.default.createSymbolicLink(at: file, withDestinationURL: victim)

        try HARRecorder().write(to: file)

        #expect(try Data(contentsOf: victim) == Data("keep me".utf8))
        #expect(try HAR(file: file).entries.isEmpty)
        #expect(directory.names == ["orders.har", "victim"])
    }
}
