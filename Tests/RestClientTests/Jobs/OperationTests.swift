// SPDX-License-Identifier: MIT

import HTTPTypes
import JobGraphs
import RestEssentials
import TestSupport
import Testing

@testable import RestClient

/// Calls that begin an operation on the server, and wait for its result.
@Suite(.timeLimit(.minutes(5)))
struct OperationTests {
    private struct Report: Codable, Equatable, Sendable {
        var rows: Int
    }

    private struct Refused: Error {}

    private static let monitor = HTTPField.Name("Operation-Location")
    private static let root = "https://api.example.com/v1"
    private static let quick = OperationRule.standard.every(.interval(.zero))

    private static func node(_ client: StubbedClient) -> RequestNode<Report> {
        client.manager.request(Report.self).post().endpoint("/reports").body(["month": 11])
    }

    /// A client whose server begins the operation with fields, and then returns these responses in turn.
    private static func client(
        _ status: HTTPResponse.Status = .accepted,
        beginning headers: HTTPFields,
        _ others: RawResponse...,
        configure: (inout RestClientManager.Configuration) -> Void = { _ in }
    ) -> StubbedClient {
        StubbedClient(
            StubTransport(answering: [RawResponse(status: status, headers: headers)] + others),
            configure: configure
        )
    }

    private static func monitored(_ others: RawResponse...) throws -> StubbedClient {
        let monitor = try #require(monitor)
        return StubbedClient(
            StubTransport(answering: [RawResponse(status: .accepted, headers: [monitor: "/v1/states/7"])] + others)
        )
    }

    private func paths(_ client: StubbedClient) -> [String] {
        client.requests.map { "\($0.method.rawValue) \($0.url.dropFirst(Self.root.count))" }
    }

    // MARK: - The course

    @Test
    func `an operation is begun once, and asked about until there is a result`() async throws {
        let client = Self.client(beginning: [.location: "/v1/states/7"], .status(.accepted), .text(#"{"rows": 3}"#))

        let response = try await Self.node(client).operation(Self.quick).response()

        #expect(response.model == Report(rows: 3))
        #expect(paths(client) == ["POST /reports", "GET /states/7", "GET /states/7"])
    }

    @Test
    func `a response that is the result needs no other request`() async throws {
        let client = StubbedClient(answering: .text(#"{"rows": 3}"#, .created, headers: [.location: "/v1/reports/1"]))

        #expect(try await Self.node(client).operation(Self.quick).send() == Report(rows: 3))
        #expect(paths(client) == ["POST /reports"])
    }

    @Test
    func `the result of a monitored operation is loaded from where it is`() async throws {
        let client = try Self.monitored(
            .text(#"{"status": "Running"}"#),
            .text(#"{"status": "Succeeded", "resourceLocation": "/v1/reports/1"}"#),
            .text(#"{"rows": 3}"#)
        )

        #expect(try await Self.node(client).operation(Self.quick).send() == Report(rows: 3))
        #expect(paths(client) == ["POST /reports", "GET /states/7", "GET /states/7", "GET /reports/1"])
    }

    @Test
    func `the result of a PUT is at its own URL`() async throws {
        let client = try Self.monitored(.text(#"{"status": "Succeeded"}"#), .text(#"{"rows": 3}"#))
        let node = client.manager.request(Report.self).put().endpoint("/reports/{id}").values(["id": 1, "rows": 3])
            .query(["v": 2])

        #expect(try await node.operation(Self.quick).send() == Report(rows: 3))
        #expect(paths(client) == ["PUT /reports/1?v=2", "GET /states/7", "GET /reports/1?v=2"])
    }

    @Test
    func `a model that is nothing needs no result`() async throws {
        let client = try Self.monitored(.text(#"{"status": "Succeeded"}"#))

        try await client.manager.request(Void.self).delete().endpoint("/reports/1").operation(Self.quick).send()

        #expect(paths(client) == ["DELETE /reports/1", "GET /states/7"])
    }

    @Test
    func `the waits are the server's, otherwise the policy's, and hold no slot`() async throws {
        let clock = ManualClock()
        let client = Self.client(
            beginning: [.location: "/v1/states/7", .retryAfter: "7"],
            .status(.accepted),
            .status(.accepted, headers: [.retryAfter: "0"]),
            .text(#"{"rows": 3}"#)
        ) { $0.clock = clock }
        var policy = PollPolicy.interval(.seconds(2))
        policy.backoff.jitter = 0
        let operation = Self.node(client).operation(.standard.every(policy))

        let report = Task { try await operation.send() }
        // Zero would mean to ask all the time.
        for seconds in [7, 2, 2] {
            try await clock.waitForSleeper(for: .seconds(seconds))
            #expect(client.manager.workers.runningCount == 0)
            clock.advance(by: .seconds(seconds))
        }

        #expect(try await report.value == Report(rows: 3))
        #expect(client.requests.count == 4)
    }

    @Test
    func `a wait beyond the limit of the rule is not begun`() async throws {
        let client = Self.client(beginning: [.location: "/v1/states/7", .retryAfter: "3600"])
        let rule = OperationRule.standard.every(.interval(.zero, limit: .seconds(60)))

        let error = await #expect(throws: RestClientError.self) { try await Self.node(client).operation(rule).send() }

        #expect(error?.code == .timeout)
        #expect(client.requests.count == 1)
    }

    @Test
    func `an operation that takes too many requests ends with an error`() async throws {
        let client = Self.client(beginning: [.location: "/v1/states/7"], .status(.accepted))
        let rule = OperationRule.standard.every(.interval(.zero, attempts: 3))

        let error = await #expect(throws: RestClientError.self) { try await Self.node(client).operation(rule).send() }

        #expect(error?.code == .timeout)
        #expect(client.requests.count == 3)
    }

    @Test
    func `a cancelled task asks no more`() async throws {
        let clock = ManualClock()
        let client = Self.client(beginning: [.location: "/v1/states/7"], .status(.accepted)) { $0.clock = clock }
        let operation = Self.node(client).operation(.standard)

        let report = Task { try await operation.send() }
        try await client.transport.waitForRequests(count: 1)
        report.cancel()

        await #expect(throws: CancellationError.self) { try await report.value }
        #expect(client.requests.count == 1)
    }

    // MARK: - Failures

    @Test
    func `a failed operation is an error with the server's words, which the node's mappers see`() async throws {
        let body = #"{"status": "Failed", "error": {"code": "Quota", "message": "used up", "token": "s3cret"}}"#
        let client = try Self.monitored(.text(body, headers: [.contentType: "application/json"]))

        let error = await #expect(throws: RestClientError.self) {
            try await Self.node(client).operation(Self.quick).send()
        }
        #expect(error?.code == .operationFailed)
        #expect(error?.message.hasSuffix("Quota: used up") == true)
        #expect(error?.description.contains("s3cret") == false)
        #expect(error?.request?.method == .get)
        #expect(error?.response?.body == Data(body.utf8))

        let other = try Self.monitored(.text(body))
        let told = Self.node(other).errorTexts(byCode: [.operationFailed: "No report."])
        let text = await #expect(throws: RestClientError.self) { try await told.operation(Self.quick).send() }
        #expect(text?.message == "No report.")
        let mapped = told.mapError { _ in Refused() }
        await #expect(throws: Refused.self) { try await mapped.operation(Self.quick).send() }
    }

    @Test
    func `handlers receive the result, and nothing of what precedes it`() async throws {
        let client = Self.client(beginning: [.location: "/v1/states/7"], .status(.accepted), .text(#"{"rows": 3}"#))
        let seen = Recorder<Int>()
        let node = Self.node(client)
            .mapResult { result in Report(rows: try result.get().rows + 1) }
            .onSuccess { seen.record($0.model.rows) }

        #expect(try await node.operation(Self.quick).send() == Report(rows: 4))
        #expect(seen.elements == [4])
    }

    @Test
    func `a provider begins no operation`() async throws {
        let client = Self.client(beginning: [.location: "/v1/states/7"])
        let node = Self.node(client).confined()

        let error = await #expect(throws: RestClientError.self) { try await node.operation(Self.quick).send() }

        #expect(error?.code == .targetNotExposed)
        #expect(client.requests.isEmpty)
    }

    // MARK: - What goes along

    @Test
    func `the node's credentials go along, and neither its body, its conditions nor its key`() async throws {
        let client = Self.client(beginning: [.location: "/v1/states/7"], .text(#"{"rows": 3}"#))
        let key = try #require(HTTPField.Name("Idempotency-Key"))

        _ = try await Self.node(client).bearer("t").createOnly().idempotencyKey(.perCall)
            .header(.contentLanguage, "ko").operation(Self.quick).send()

        let (begun, asked) = try (#require(client.requests.first), #require(client.requests.last))
        #expect(begun.headers[.ifNoneMatch] == "*" && begun.headers.contains(key) && begun.body != nil)
        #expect(asked.headers[.authorization] == "Bearer t")
        #expect(!asked.headers.contains(.ifNoneMatch) && !asked.headers.contains(key))
        #expect(!asked.headers.contains(.contentType) && !asked.headers.contains(.contentLanguage))
        #expect(asked.body == nil)
    }

    @Test
    func `another origin receives no credentials, and its own server's only if it is registered`() async throws {
        let client = Self.client(
            beginning: [.location: "https://jobs.example/7"],
            .status(.accepted, headers: [.location: "https://known.example/7"]),
            .text(#"{"rows": 3}"#)
        )
        client.manager.servers["known"] = Server("https://known.example").bearer("of-known")
        let key = try #require(HTTPField.Name("X-Tenant-Key"))

        _ = try await Self.node(client).bearer("t").header(key, "k").operation(Self.quick).send()

        #expect(client.requests.map(\.method) == [.post, .get, .get])
        #expect(client.requests.map { $0.headers[.authorization] } == ["Bearer t", nil, "Bearer of-known"])
        #expect(client.requests.map { $0.headers[key] } == ["k", nil, nil])
        #expect(client.requests.dropFirst().allSatisfy { $0.body == nil })
    }

    @Test
    func `an operation does not lead from https to http`() async throws {
        let client = Self.client(beginning: [.location: "http://api.example.com/v1/states/7"])

        let error = await #expect(throws: RestClientError.self) {
            try await Self.node(client).operation(Self.quick).send()
        }

        #expect(error?.code == .pageRefused)
        #expect(client.requests.count == 1)
    }

    @Test
    func `a handover makes the request that begins the operation, and no other`() async throws {
        let client = Self.client(beginning: [.location: "/v1/states/7"], .text(#"{"rows": 3}"#))
        let calls = Recorder<Void>()
        let node = client.manager.request(Report.self).post().endpoint("/reports/{id}")
            .handover { node, _ in
                calls.record(())
                return node.parameter("id", 1)
            }

        #expect(try await node.operation(Self.quick).send() == Report(rows: 3))
        #expect(calls.count == 1)
        #expect(paths(client) == ["POST /reports/1", "GET /states/7"])
    }

    // MARK: - Graphs

    @Test
    func `a graph's node waits for the result of an operation`() async throws {
        let client = Self.client(beginning: [.location: "/v1/states/7"], .status(.accepted), .text(#"{"rows": 3}"#))
        var graph = JobGraph("reports")
        let month = graph.input("month", 11)
        let report = graph.operation("report", after: month, by: Self.quick) { month in
            RequestNode(Report.self).post().endpoint("/reports").body(["month": month])
        }
        let rows = graph.local("rows", after: report) { $0.rows }

        let run = try await client.manager.run(graph)

        #expect(try run[rows] == 3)
        #expect(client.requests.map(\.method) == [.post, .get, .get])
    }

    @Test
    func `a poll of a graph waits as long as the server says`() async throws {
        let clock = ManualClock()
        let client = StubbedClient(
            answering: .text("1", headers: [.retryAfter: "7"]),
            .text("2"),
            .text("3", headers: [.retryAfter: "9"])
        ) { $0.clock = clock }
        var policy = PollPolicy.interval(.seconds(2))
        policy.backoff.jitter = 0
        var graph = JobGraph("poll")
        let done = graph.poll("done", every: policy) {
            RequestNode(String.self).endpoint("/status")
        } until: {
            $0 == "3"
        }

        let execution = try client.manager.start(graph)
        for seconds in [7, 2] {
            try await clock.waitForSleeper(for: .seconds(seconds))
            clock.advance(by: .seconds(seconds))
        }

        let run = await execution.finished()
        #expect(try run[done] == "3")
    }
}
