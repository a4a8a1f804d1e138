// SPDX-License-Identifier: MIT

import JobGraphsTestSupport
import RestEssentials
import Testing

@testable import JobGraphs

@Suite struct RunReportCodingTests {
    @Test
    func `a report that was written is read as the same one`() throws {
        #expect(try RunReport(json: RunReport.sample.json()) == RunReport.sample)
    }

    @Test
    func `the form is the documented one`() throws {
        let report = RunReport.run([
            RunReport.Node(
                name: "a",
                kind: .request,
                status: .success,
                attempts: 1,
                source: RunReport.Source(rawValue: "dummy"),
                queued: .zero,
                started: .nanoseconds(250),
                ended: .microseconds(3),
                spans: [RunReport.Span(.init(rawValue: "waiting"), start: .nanoseconds(250), end: .microseconds(3))]
            )
        ])

        #expect(
            String(decoding: try report.json(), as: UTF8.self) == """
                {
                  "durationNs" : 3000,
                  "id" : "run-1",
                  "name" : "run",
                  "nodes" : [
                    {
                      "attempts" : 1,
                      "children" : [

                      ],
                      "dependencies" : [

                      ],
                      "endedNs" : 3000,
                      "kind" : "request",
                      "name" : "a",
                      "queuedNs" : 0,
                      "source" : "dummy",
                      "spans" : [
                        {
                          "attempt" : 1,
                          "endNs" : 3000,
                          "phase" : "waiting",
                          "startNs" : 250
                        }
                      ],
                      "startedNs" : 250,
                      "status" : "success",
                      "tags" : [

                      ]
                    }
                  ],
                  "outcome" : "success",
                  "startedAt" : "1970-01-01T00:00:00.000Z",
                  "version" : 1
                }
                """
        )
    }

    @Test
    func `what a node leaves out is empty, and kinds that are not known yet are kept`() throws {
        let json = """
            {"version": 1, "name": "n", "id": "i", "startedAt": "2026-11-21T09:00:00.000Z", "durationNs": 5,
             "outcome": "cancelled", "nodes": [{"name": "a", "kind": "teleport", "status": "notRun", "more": true}]}
            """

        let report = try RunReport(json: Data(json.utf8))

        #expect(
            report.nodes == [RunReport.Node(name: "a", kind: RunReport.Kind(rawValue: "teleport"), status: .notRun)]
        )
        #expect(report.outcome == .cancelled)
    }

    @Test
    func `phases and sources that other work names are kept`() throws {
        var node = RunReport.node("a", 0, 9)
        node.source = RunReport.Source(rawValue: "artifact store")
        node.spans = [RunReport.Span(.init(rawValue: "linking"), start: .zero, end: .milliseconds(9))]
        let report = try RunReport(json: RunReport.run([node]).json())

        #expect(report.nodes == [node])
    }

    @Test(arguments: [
        "", "[]", "{}", #"{"version": 2}"#,
        #"{"version": 1, "name": "n", "id": "i", "startedAt": "yesterday", "durationNs": 1, "outcome": "success", "nodes": []}"#,
    ])
    func `a text that is not a report is rejected`(json: String) {
        #expect(throws: DecodingError.self) { try RunReport(json: Data(json.utf8)) }
    }

    @Test(arguments: [
        (Duration.seconds(Int64.max), Int64.max), (.seconds(Int64.min), .min), (.nanoseconds(-7), -7),
        (.seconds(9_223_372_036) + .nanoseconds(900_000_000), .max), (.zero, 0),
    ])
    func `lengths beyond 64 bits become the longest`(duration: Duration, nanoseconds: Int64) {
        #expect(duration.wholeNanoseconds == nanoseconds)
    }
}
