// SPDX-License-Identifier: MIT

import HTTPTypes
import TestSupport
import Testing

@testable import RestClient

/// What a run of a graph puts into its report besides the nodes' states.
@Suite(.timeLimit(.minutes(1)))
struct GraphRunReportTests {
    private static let phases = ExchangeTimings(
        connecting: .milliseconds(4),
        sending: .milliseconds(1),
        waiting: .milliseconds(10),
        receiving: .milliseconds(5)
    )

    @Test func `requests say what their time went into, those that failed too`() async throws {
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
    }

    @Test func `a report of a run can be drawn in every form`() async throws {
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
