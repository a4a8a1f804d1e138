// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import TestSupport
import Testing

@testable import JobGraphs
@testable import RestClient
@testable import RestClientReports

/// The parts of a run's report other than the states of its nodes.
@Suite(.timeLimit(.minutes(5)))
struct GraphRunReportTests {
    private static let phases = ExchangeTimings(
        connecting: .milliseconds(4),
        sending: .milliseconds(1),
        waiting: .milliseconds(10),
        receiving: .milliseconds(5)
    )

    @Test
    func `requests report the phases of their time, including failed ones`() async throws {
        let client = StubbedClient(
            StubTransport { request in
                var answer = RawResponse(status: request.url.hasSuffix("bad") ? .conflict : .ok)
                answer.timings = Self.phases
                return answer
            }
        ) { configuration in
            configuration.clock = ManualClock()
        }
        var graph = JobGraph("g")
        let good = graph.request("good") { RequestNode(Void.self).endpoint("/good") }
        graph.request("bad", after: good) { _ in RequestNode(Void.self).endpoint("/bad") }

        let report = try await client.manager.run(graph).report

        func span(_ phase: RunReport.Phase, _ start: Int, _ end: Int) -> RunReport.Span {
            RunReport.Span(phase, start: .milliseconds(start), end: .milliseconds(end))
        }
        // The clock stands still; what the transport says does not.
        let expected = [
            span(.connecting, 0, 4), span(.sending, 4, 5), span(.waiting, 5, 15), span(.receiving, 15, 20),
        ]
        #expect(report.nodes.map(\.spans) == [expected, expected])
        #expect(report.nodes.map(\.status) == [.success, .failure])
        #expect(report.nodes.map(\.detail) == ["good", "bad"].map { "GET https://api.example.com/v1/\($0)" })
    }

    @Test
    func `every attempt, every question and every element says what its time went into`() async throws {
        let asked = Counter()
        let client = StubbedClient(
            StubTransport { request in
                let isEarly = request.url.hasSuffix("again") && asked.next() == 1
                var answer = RawResponse(status: isEarly ? .serviceUnavailable : .ok, body: Data("\(asked.value)".utf8))
                answer.timings = Self.phases
                return answer
            }
        ) { configuration in
            configuration.clock = ManualClock()
        }
        var retry = RetryPolicy(attempts: 2)
        retry.backoff.first = .zero
        var graph = JobGraph("g")
        let again = graph.request("again", options: [.retry(retry)]) { RequestNode(Void.self).endpoint("/again") }
        let poll = graph.poll("poll", after: again, every: .interval(.zero)) { _ in
            RequestNode(String.self).endpoint("/poll")
        } until: { _ in
            asked.next() > 3
        }
        let items = graph.local("items", after: poll) { _ in [1, 2] }
        graph.forEach("each", in: items, limit: 1) { _ in RequestNode(Void.self).endpoint("/each") }

        let report = try await client.manager.run(graph).report

        let exchange: [RunReport.Phase] = [.connecting, .sending, .waiting, .receiving]
        func spans(_ node: String) -> [RunReport.Span] { report.nodes.first { $0.name == node }?.spans ?? [] }
        for name in ["again", "poll"] {
            #expect(spans(name).map(\.phase) == exchange + [.backoff] + exchange)
            #expect(spans(name).map(\.attempt) == [1, 1, 1, 1, 1, 2, 2, 2, 2])
        }
        #expect(spans("each").isEmpty)
        #expect(report.nodes.last?.children.map { $0.spans.map(\.phase) } == [exchange, exchange])
    }

    @Test
    func `a compensation says what it sent, and what its time went into`() async throws {
        let client = StubbedClient(
            StubTransport { _ in
                var answer = RawResponse(status: .ok)
                answer.timings = Self.phases
                return answer
            }
        ) { configuration in
            configuration.clock = ManualClock()
        }
        var graph = JobGraph("g")
        let booking = graph.request("book") { RequestNode(Void.self).endpoint("/book") }
        graph.undo("cancel", of: booking) { RequestNode(Void.self).endpoint("/cancel").method(.delete) }
        graph.local("fails", after: booking) { _ in throw RestClientError(.timeout, "too late") }

        let undo = try #require(try await client.manager.run(graph).report.nodes.last)

        #expect(undo.kind == .compensation)
        // It waited for the whole run, so the critical path leads through what ended last.
        #expect(undo.dependencies == ["book", "fails"])
        #expect(undo.detail == "DELETE https://api.example.com/v1/cancel")
        #expect(undo.spans.map(\.phase) == [.connecting, .sending, .waiting, .receiving])
    }

    @Test
    func `a report of a run can be drawn in every form`() async throws {
        let client = StubbedClient(answering: .text("x"))
        var graph = JobGraph("g")
        let one = graph.request("one") { RequestNode(String.self).endpoint("/one") }
        graph.local("two", after: one) { $0.count }

        let report = try await client.manager.run(graph).report

        #expect(report.criticalPath.map(\.name) == ["one", "two"])
        #expect(report.html().contains("<bdi>two</bdi>"))
        #expect(report.mermaidGantt().contains("two : crit, done"))
        #expect(report.junitXML().contains("tests=\"2\" failures=\"0\""))
        #expect(try RunReport(json: report.json()).nodes == report.nodes)
    }
}
