// SPDX-License-Identifier: MIT

import RestEssentials
import SharedStore
import TestSupport
import Testing

@testable import JobGraphs
@testable import RestClient

/// Credentials among the results and the inputs of runs with a journal.
@Suite(.timeLimit(.minutes(5)))
struct JournalSecretTests {
    private static let secret = "s3cr3t-0f-th3-t3st"

    private struct Login: Codable, Sendable {
        var user = "kim"
        var accessToken = secret
    }

    private struct Session: Codable, Sendable {
        enum CodingKeys: String, CodingKey {
            case token
            case isExpired = "expired"
        }

        var token = AccessToken(secret)
        var isExpired = false
    }

    private struct Harmless: Codable, Sendable {
        var code = "EUR"
        var key = "row-1"
        var nextPageToken: String? = "page-2"
        var totalTokens = 7
        var session = "morning"
        var token = ""
        var password: String?
    }

    /// A graph whose only work has a result.
    struct Sample: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let graph: JobGraph

        fileprivate init<Value: Sendable>(_ name: String, _ value: Value, isInput: Bool = false) {
            testDescription = name
            var graph = JobGraph("secrets")
            if isInput {
                graph.input("value", value)
            } else {
                graph.local("value") { value }
            }
            self.graph = graph
        }
    }

    private static let samples = [
        Sample("a token", AccessToken(secret)),
        Sample("an optional token", AccessToken?.some(AccessToken(secret))),
        Sample("tokens", [AccessToken(secret)]),
        Sample("an outcome", [JobOutcome<AccessToken>.success(AccessToken(secret))]),
        Sample("a login", Login()),
        Sample("logins", [[Login()]]),
        Sample("the outcome of a login", [JobOutcome<Login?>.success(Login())]),
        Sample("a session", Session()),
        Sample("a dictionary", ["client_secret": secret]),
        Sample("JSON", JSONValue.object(["data": .array([.object(["password": .string(secret)])])])),
        Sample("an input", Login(), isInput: true),
        Sample("an input that is a token", AccessToken(secret), isInput: true),
    ]

    private let host = JournalHost()

    /// Everything in the folder of the journals.
    private func files() throws -> Data {
        let names = try FileManager.default.contentsOfDirectory(atPath: host.folder.path)
        return try names.reduce(into: Data()) { $0 += try Data(contentsOf: host.folder.appendingPathComponent($1)) }
    }

    private func code(of run: () async throws -> GraphRun) async -> JobGraphError.Code? {
        await JournalHost.code { try await run().check() }
    }

    @Test(arguments: samples)
    func `a credential is stored only if the journal seals it`(sample: Sample) async throws {
        let manager = try host.process()

        #expect(await code { try await manager.run(sample.graph, journal: "plain") } == .secretNotSealed)
        #expect(
            await code { try await manager.run(sample.graph, journal: RunJournal("zip", codec: .gzip)) }
                == .secretNotSealed
        )
        #expect(try files().firstRange(of: Data(Self.secret.utf8)) == nil)

        let sealed = RunJournal("sealed", codec: .sealed(.generate()))
        #expect(try await manager.run(sample.graph, journal: sealed).isSuccess)
        #expect(try await manager.run(sample.graph, journal: sealed).isStored)
        #expect(try files().firstRange(of: Data(Self.secret.utf8)) == nil)
    }

    @Test
    func `the error says what to do`() async throws {
        let run = try await host.process().run(Sample("a login", Login()).graph, journal: "plain")

        let error = try #require(run.node("value")?.error as? JobGraphError)
        for text in ["'accessToken'", "'value'", "'plain'", "TokenSource", ".sealed(key)"] {
            #expect(error.message.contains(text))
        }
        #expect(!error.message.contains(Self.secret))
    }

    @Test
    func `names that models of other things have are no credentials`() async throws {
        let manager = try host.process()
        #expect(try await manager.run(Sample("harmless", Harmless()).graph, journal: "plain").isSuccess)
        #expect(try await manager.run(Sample("harmless", Harmless()).graph, journal: "plain").isStored)
    }

    @Test
    func `a sealed credential is not copied into a journal that does not seal, nor given by hand`() async throws {
        host.answers { _ in throw RestClientError(.connectionClosed, "the connection was cut") }
        defer { host.answers { .text($0) } }
        let manager = try host.process()
        var secrets = JobGraph("secrets")
        secrets.local("login") { Login() }
        secrets.request("charge") { JournalHost.node("charge", .post) }
        let last = secrets.local("last") { 1 }
        let graph = secrets
        let sealed = RunJournal("sealed", codec: .sealed(.generate()))
        _ = try await manager.run(graph, journal: sealed)

        let code = await JournalHost.code {
            try await manager.journals.fork(sealed, as: "plain", of: graph, from: last)
        }
        #expect(code == .secretNotSealed)
        var charge = JobGraph("charge")
        charge.request("charge") { JournalHost.node("charge", .post) }
        _ = try await manager.run(charge, journal: "charge")
        let work = try #require(try await manager.journals.unresolved(in: "charge").first)
        #expect(
            await JournalHost.code { try await manager.journals.markDone(work, with: Login(), in: "charge") }
                == .secretNotSealed
        )
        #expect(try files().firstRange(of: Data(Self.secret.utf8)) == nil)
    }
}
