// SPDX-License-Identifier: MIT

import JobGraphsTestSupport
import RestEssentials
import SeededRandom
import Testing

@testable import JobGraphs
@testable import RestClientReports

@Suite struct ChromeTraceTests {
    private func events(_ report: RunReport, _ phase: String) -> [ChromeTrace.Event] {
        ChromeTrace(report).traceEvents.filter { $0.ph == phase }
    }

    private func ranges(_ extents: [(Int, Int)?]) -> [Range<Duration>?] {
        extents.map { $0.map { .milliseconds($0.0) ..< .milliseconds($0.1) } }
    }

    @Test
    func `the form is the one that viewers read`() throws {
        let report = RunReport.run([RunReport.node("a", 0, 2)])

        #expect(
            String(decoding: try report.chromeTrace(), as: UTF8.self) == """
                {"displayTimeUnit":"ms","otherData":{"outcome":"success","run":"run-1","startedAt":"1970-01-01T00:00:00Z"},\
                "traceEvents":[{"args":{"name":"run"},"name":"process_name","ph":"M","pid":1,"tid":0,"ts":0},\
                {"args":{"name":"lane 1"},"name":"thread_name","ph":"M","pid":1,"tid":0,"ts":0},\
                {"args":{"attempts":1,"critical":true,"status":"success"},"cat":"local","dur":2000,"name":"a","ph":"X",\
                "pid":1,"tid":0,"ts":0},\
                {"cat":"phase","dur":2000,"name":"running","ph":"X","pid":1,"tid":0,"ts":0}]}
                """
        )
    }

    @Test(
        arguments: [
            ([(0, 10), (10, 20), (20, 30)], [0, 0, 0]),
            ([(0, 10), (5, 20), (10, 30), (20, 25)], [0, 1, 0, 1]),
            ([(0, 10), nil, (0, 10)], [0, nil, 1]),
            ([(0, 0), (0, 0), (0, 1)], [0, 0, 0]),
            ([], []),
        ] as [([(Int, Int)?], [Int?])]
    )
    func `what ran at the same time stands on lanes of its own`(extents: [(Int, Int)?], lanes: [Int?]) {
        #expect(ChromeTrace.lanes(for: ranges(extents)) == lanes)
    }

    @Test
    func `events of a lane are nested or apart`() {
        var generator = SeededGenerator(seed: 7)
        let nodes = (0..<300)
            .map { index in
                let start = Int.random(in: 0...1_000, using: &generator)
                return RunReport.request(
                    "n\(index)",
                    started: start,
                    ended: start + .random(in: 9...90, using: &generator)
                )
            }

        for (_, lane) in Dictionary(grouping: events(RunReport.run(nodes), "X"), by: \.tid) {
            let whole = lane.filter { $0.cat == "request" }.sorted { $0.ts < $1.ts }
            for (event, next) in zip(whole, whole.dropFirst()) {
                #expect(event.ts + (event.dur ?? 0) <= next.ts)
            }
            for part in lane where part.cat == "phase" {
                #expect(whole.contains { $0.ts <= part.ts && part.ts + (part.dur ?? 0) <= $0.ts + ($0.dur ?? 0) })
            }
        }
    }

    @Test
    func `an arrow leads from each node to those that waited for it`() {
        let report = RunReport.run([
            RunReport.node("a", 0, 10), RunReport.node("b", after: ["a", "nobody"], 12, 20),
        ])

        let (starts, ends) = (events(report, "s"), events(report, "f"))

        #expect(starts.map(\.ts) == [10_000])
        #expect(ends.map(\.ts) == [12_000])
        #expect(starts.map(\.id) == ends.map(\.id))
        #expect(ends.map(\.bp) == ["e"])
    }

    @Test
    func `nodes that did not run are left out`() {
        #expect(!events(.sample, "X").contains { $0.name == "summary" })
    }
}
