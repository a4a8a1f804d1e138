// SPDX-License-Identifier: MIT

import HTTPTypes
import TestSupport
import Testing

@testable import JobGraphs
@testable import RestClient

/// The header field that tells the server how long a call will wait.
@Suite(.timeLimit(.minutes(5)))
struct DeadlineHeaderTests {
    private let clock = ManualClock()
    private let field: HTTPField.Name

    init() throws {
        field = try #require(HTTPField.Name("Request-Timeout"))
    }

    /// A client whose calls have the field, and whose server takes some time for each response.
    private func client(_ time: Duration = .milliseconds(100)) -> StubbedClient {
        let transport = StubTransport { [clock] _ in
            clock.advance(by: time)
            return .text("7")
        }
        let client = StubbedClient(transport) { $0.clock = clock }
        client.manager.options = client.manager.options.deadlineField(field)
        return client
    }

    /// The fields of all requests.
    private func fields(_ client: StubbedClient) -> [String?] { client.requests.map { $0.headers[field] } }

    private func node(_ path: String) -> RequestNode<Int> { RequestNode(Int.self).endpoint(PathTemplate(path)) }

    @Test
    func `a call sends the time that is left, and one without a limit sends none`() async throws {
        let client = client()

        _ = try await client.sent { $0.endpoint("/a").timeout(.milliseconds(2_750)) }
        _ = try await client.sent { $0.endpoint("/a").timeout(nil) }

        #expect(fields(client) == ["2.750", nil])
        #expect(DeadlineHeaderStage.text(.seconds(-1)) == "0.000")
        #expect(DeadlineHeaderStage.text(.microseconds(1_999)) == "0.001")
        #expect(DeadlineHeaderStage.text(.seconds(Int64.max)).hasSuffix("000"))
    }

    @Test
    func `each attempt sends the time that is left of its call`() async throws {
        let clock = clock
        let client = StubbedClient(
            StubTransport { _ in
                clock.advance(by: .seconds(2))
                return .status(.serviceUnavailable)
            }
        ) { $0.clock = clock }
        var policy = RetryPolicy(attempts: 3)
        policy.backoff.first = .zero

        _ = await client.failure { $0.endpoint("/a").deadlineField(field).retry(policy).timeout(.seconds(9)) }

        #expect(fields(client) == ["9.000", "7.000", "5.000"])
    }

    @Test
    func `calls of a concurrent group send what their wait for a worker left`() async throws {
        let gate = Gate()
        let clock = clock
        let client = StubbedClient(
            StubTransport { _ in
                try await gate.wait()
                return .text("7")
            }
        ) { configuration in
            configuration.clock = clock
            configuration.workerCount = 1
        }
        client.manager.options = client.manager.options.deadlineField(field).timeout(.seconds(10))
        let group = Task { try await client.manager.concurrently(node("/a"), node("/b")) }
        try await client.transport.waitForRequests(count: 1)
        try await client.manager.workers.wait { $0.waiting == 1 }
        clock.advance(by: .seconds(3))
        gate.open()

        _ = try await group.value

        #expect(fields(client) == ["10.000", "7.000"])
    }

    @Test
    func `each call of a serial group has its own time`() async throws {
        let client = client()

        let report = await client.manager.serially([node("/a").timeout(.seconds(9)), node("/b").timeout(.seconds(4))])

        #expect(report.isSuccess)
        #expect(fields(client) == ["9.000", "4.000"])
    }

    @Test
    func `calls of a graph send what their own limit, that of their node and that of the run leave`() async throws {
        let client = client()
        let (first, second, third, fourth) = (
            node("/a"), node("/b"), node("/c").timeout(.milliseconds(1_500)), node("/d")
        )
        var graph = JobGraph("graph")
        let a = graph.request("a") { first }
        let b = graph.request("b", after: a) { _ in second }
        let c = graph.request("c", after: b) { _ in third }
        graph.request("d", after: c, options: [.timeout(.milliseconds(500))]) { _ in fourth }

        let run = try await client.manager.run(graph, options: [.timeout(.seconds(20))])

        #expect(run.isSuccess)
        #expect(fields(client) == ["20.000", "19.900", "1.500", "0.500"])
    }

    @Test
    func `the elements of a loop send what the run leaves`() async throws {
        let client = client()
        let node = node("/a")
        var graph = JobGraph("graph")
        let items = graph.input("items", [1, 2])
        graph.forEach("calls", in: items, limit: 1) { _ in node }

        let run = try await client.manager.run(graph, options: [.timeout(.seconds(20))])

        #expect(run.isSuccess)
        #expect(fields(client) == ["20.000", "19.900"])
    }

    @Test
    func `a request that equal calls share sends none, because it ends for none of them`() async throws {
        let client = client()

        _ = try await client.manager.request(Int.self).endpoint("/a").sharingFlight().timeout(.seconds(9)).send()

        #expect(fields(client) == [nil])
    }
}
