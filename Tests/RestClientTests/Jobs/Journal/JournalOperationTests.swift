// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import TestSupport
import Testing

@testable import JobGraphs
@testable import RestClient

/// Long-running operations in runs with a journal: a resumed run asks again, and does not begin them again.
@Suite(.timeLimit(.minutes(5)))
struct JournalOperationTests {
    private let host = JournalHost()

    private static func graph(_ options: JobOptions? = nil, _ method: HTTPRequest.Method = .post) -> JobGraph {
        let rule = OperationRule.standard.status(at: "status").every(.interval(.zero, attempts: 3))
        var graph = JobGraph("reports")
        graph.operation("report", by: rule, options: options) { JournalHost.node("begin", method) }
        return graph
    }

    /// Lets the server begin an operation, and say this of its state.
    private func answers(_ state: RawResponse) {
        host.answers { name in
            name == "begin" ? .status(.accepted, headers: [.location: "/v1/state"]) : state
        }
    }

    private func run(_ graph: JobGraph = Self.graph(), _ journal: RunJournal = "nightly") async throws -> GraphRun {
        try await host.process().run(graph, journal: journal)
    }

    private func unknownNodes() async throws -> [String] {
        try await host.process().journals.list().first?.unknownNodes ?? []
    }

    @Test(arguments: [HTTPRequest.Method.post, .put])
    func `a run that was cut off asks for the state, and does not begin the operation again`(
        method: HTTPRequest.Method
    ) async throws {
        answers(.status(.serviceUnavailable))
        #expect(try await run(Self.graph(nil, method)).isSuccess == false)
        #expect(try await unknownNodes().isEmpty)
        answers(.text("ready"))

        #expect(try await run(Self.graph(nil, method)).isSuccess)

        #expect(host.names == ["begin", "state", "state"])
        #expect(host.requests.elements.map(\.method) == [method, .get, .get])
    }

    @Test
    func `a process that is killed while it waits is resumed in the same way`() async throws {
        let gate = Gate()
        host.answers { name in
            guard name == "begin" else {
                try await gate.wait()
                return .text("late")
            }
            return .status(.accepted, headers: [.location: "/v1/state"])
        }
        let process = try host.process()
        let first = Task { try await process.run(Self.graph(), journal: "nightly") }
        try await gate.waitForWaiters(count: 1)
        let survivor = try host.killed()
        survivor.answers { .text($0) }

        #expect(try await survivor.process().run(Self.graph(), journal: "nightly").isSuccess)

        #expect(survivor.names == ["state"])
        gate.open()
        _ = try await first.value
    }

    @Test
    func `another attempt of the node asks for the state, too`() async throws {
        let asked = Counter()
        host.answers { name in
            guard name != "begin" else {
                return .status(.accepted, headers: [.location: "/v1/state"])
            }
            return asked.next() == 1 ? .status(.serviceUnavailable) : .text("ready")
        }
        var retry = RetryPolicy(attempts: 2)
        retry.backoff.first = .zero

        #expect(try await run(Self.graph([.retry(retry)])).isSuccess)

        #expect(host.names == ["begin", "state", "state"])
    }

    @Test
    func `an operation that takes too long is awaited further by the next run`() async throws {
        answers(.status(.accepted))
        #expect(try await run().isSuccess == false)
        #expect(host.names == ["begin", "state", "state"])
        answers(.text("ready"))

        #expect(try await run().isSuccess)

        #expect(host.names == ["begin", "state", "state", "state"])
    }

    @Test
    func `an operation that has failed is begun again by the next run, and not before`() async throws {
        answers(.text(#"{"status": "failed"}"#))
        var retry = RetryPolicy(attempts: 3)
        retry.backoff.first = .zero
        retry.isRetryable = { _ in true }
        let graph = Self.graph([.retry(retry)])
        let failed = try await run(graph)
        #expect((failed.node("report")?.error as? RestClientError)?.code == .operationFailed)
        #expect(host.names == ["begin", "state"])
        answers(.text("ready"))

        #expect(try await run(graph).isSuccess)

        #expect(host.names == ["begin", "state", "begin", "state"])
    }

    @Test(arguments: [(HTTPRequest.Method.post, true), (.put, false)])
    func `an operation that the server no longer knows has an unknown outcome`(
        method: HTTPRequest.Method,
        isUnknown: Bool
    ) async throws {
        answers(.status(.gone))
        #expect(try await run(Self.graph(nil, method)).isSuccess == false)
        #expect(try await unknownNodes() == (isUnknown ? ["report"] : []))
        answers(.text("ready"))

        #expect(try await run(Self.graph(nil, method)).isSuccess == !isUnknown)
        guard isUnknown else {
            return
        }
        let journal = RunJournal("nightly", unknownOutcome: .repeatWithSameKey)
        #expect(try await run(Self.graph(nil, method), journal).isSuccess)
        #expect(host.names == ["begin", "state", "begin", "state"])
        let keys = host.keys(of: "begin")
        #expect(keys.first != .some(nil))
        #expect(Set(keys).count == 1)
    }

    @Test
    func `a response that is the result is stored as that of any request`() async throws {
        host.answers { .text($0) }
        #expect(try await run().isSuccess)
        #expect(try await run().isSuccess)

        #expect(host.names.first == "begin")
        #expect(!host.names.contains("state"))
    }

    @Test(arguments: [false, true])
    func `a URL with a secret is stored only if the journal seals it`(isSealed: Bool) async throws {
        host.answers { name in
            name == "begin"
                ? .status(.accepted, headers: [.location: "/v1/state?token=s3cret"]) : .status(.serviceUnavailable)
        }
        let key = try SealingKey(bytes: Data(repeating: 7, count: 32))
        let journal = isSealed ? RunJournal("nightly", codec: .sealed(key)) : "nightly"
        _ = try await run(Self.graph(), journal)

        #expect(try await unknownNodes() == (isSealed ? [] : ["report"]))
        for file in try FileManager.default.contentsOfDirectory(atPath: host.folder.path) {
            let bytes = try? Data(contentsOf: host.folder.appendingPathComponent(file))
            #expect(bytes?.ranges(of: Data("s3cret".utf8)).isEmpty != false)
        }
        host.answers { .text($0) }
        #expect(try await run(Self.graph(), journal).isSuccess == isSealed)
        #expect(host.names.count { $0 == "begin" } == 1)
    }
}
