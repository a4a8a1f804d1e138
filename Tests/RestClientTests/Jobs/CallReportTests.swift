// SPDX-License-Identifier: MIT

import RestEssentials
import TestSupport
import Testing

@testable import JobGraphs
@testable import RestClient

/// Reports of groups of requests and of single calls, and what concerns groups with identifiers made ahead.
@Suite(.timeLimit(.minutes(5)))
struct CallReportTests {
    private let date = Date(timeIntervalSince1970: 1_000)

    @Test
    func `a report of a group shows its requests`() async throws {
        let client = StubbedClient(
            StubTransport { request in
                request.url.contains("/bad") ? .status(.notFound) : .text("1", headers: [.cacheControl: "max-age=60"])
            }
        )
        client.manager.apis[APIAlias<Int>(rawValue: "orders")] = API(.get, "/orders").cache(.elseNetwork())
        let orders = client.manager.request(APIAlias<Int>(rawValue: "orders"))
        let bad = client.manager.request(Int.self).endpoint("/bad").query(["token": "secret"])
        _ = try await orders.send()

        let report = await client.manager.serially([orders, bad, bad], onFailure: .continue).report

        #expect(report.nodes.map(\.name) == ["orders", "/bad[1]", "/bad[2]"])
        #expect(report.nodes.map(\.kind) == [.request, .request, .request])
        #expect(report.nodes.map(\.status) == [.fromCache, .failure, .failure])
        #expect(report.nodes.map(\.attempts) == [0, 1, 1])
        #expect(report.nodes[0].source == .cache)
        #expect(report.nodes[0].detail == "GET https://api.example.com/v1/orders, API 'orders'")
        #expect(report.nodes[1].detail == "GET https://api.example.com/v1/bad?token=<redacted>")
        #expect(report.nodes[1].spans.map(\.phase) == [.waiting])
        #expect(report.nodes[1].error?.contains("404") == true)
        #expect(!"\(report)".contains("secret"))
    }

    @Test
    func `a response has a report of its call`() async throws {
        let clock = ManualClock()
        let client = StubbedClient(
            StubTransport { _ in
                clock.advance(by: .seconds(2))
                return .text("1")
            }
        ) { [date] configuration in
            configuration.clock = clock
            configuration.now = { date }
        }
        clock.advance(by: .seconds(5))

        let response = try await client.manager.request(Int.self).endpoint("/a").response()
        let report = response.report

        #expect(report.name == "/a")
        #expect(report.id == response.callID.description)
        #expect(report.startedAt == date + 5)
        #expect(report.duration == .seconds(2))
        #expect(report.outcome == .success)
        let node = try #require(report.nodes.first)
        #expect(node.status == .success)
        #expect(node.source == .network)
        #expect(node.attempts == 1)
        #expect(node.ended == .seconds(2))
        #expect(node.spans.first?.end == .seconds(2))
        #expect(report.nodes.count == 1)
        #expect(try RunReport(json: report.json()) == report)
    }

    @Test
    func `an error of a call has a report, and one of no call has none`() async throws {
        let clock = ManualClock()
        let client = StubbedClient(
            StubTransport { _ in
                clock.advance(by: .seconds(2))
                return .status(.notFound)
            }
        ) { [date] configuration in
            configuration.clock = clock
            configuration.now = { date }
        }

        let error = await client.failure { $0.endpoint("/a").callIdentifier("mine") }
        let report = try #require(error?.report)

        #expect(report.name == "mine")
        #expect(report.startedAt == date)
        #expect(report.duration == .seconds(2))
        #expect(report.outcome == .failure)
        #expect(report.nodes.map(\.status) == [.failure])
        #expect(report.nodes[0].error?.hasPrefix("unacceptableStatus") == true)
        #expect(RestClientError(.timeout, "late").report == nil)
    }

    @Test
    func `a filter passes the events of a group that has not begun`() async throws {
        let client = StubbedClient(answering: .text("1"))
        let (id, other, recorder) = (GroupID(), GroupID(), Recorder<String>())
        let observation = client.manager.observe(.all.group(id)) { recorder.record($0.line) }
        defer { observation.cancel() }
        let node = client.manager.request(Int.self).endpoint("/a")

        _ = try await node.send()
        _ = await client.manager.concurrently([node], id: other)
        #expect(recorder.elements.isEmpty)
        _ = await client.manager.concurrently([node], id: id)

        #expect(recorder.elements.first == "groupStarted 1")
        #expect(recorder.elements.last == "groupFinished")
        #expect(recorder.count == 7)
    }

    @Test
    func `the event of a group's end has results as handlers left them`() async throws {
        let client = StubbedClient(answering: .text("1"))
        let log = EventRecorder(client.manager)
        let node = client.manager.request(Int.self).endpoint("/a").mapResult { try $0.get() + 1 }

        let report = await client.manager.concurrently([node])

        guard case .groupFinished(let last)? = log.events.last?.kind else {
            Issue.record("the last event is \(log.lines)")
            return
        }
        #expect(last.id == report.id)
        #expect(try last.value(at: 0, as: Int.self) == 2)
        #expect(log.events.last.map { "\($0)".contains("1 of 1 succeeded") } == true)
    }

    @Test
    func `cancelling a group by its identifier ends its calls`() async throws {
        let gate = Gate()
        let client = StubbedClient(
            StubTransport { _ in
                try await gate.wait()
                return .text("1")
            }
        )
        let id = GroupID()
        let node = client.manager.request(Int.self).endpoint("/a")
        let group = Task { try await client.manager.concurrently(node, node, id: id) }
        try await gate.waitForWaiters(count: 2)

        #expect(client.manager.cancelGroup(id))

        await #expect(throws: CancellationError.self) { try await group.value }
    }
}
