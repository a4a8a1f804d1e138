// SPDX-License-Identifier: MIT

import JobGraphsTestSupport
import RestEssentials
import SeededRandom
import Testing

@testable import JobGraphs
@testable import RestClientReports

/// Reports of a file, which may hold any values.
@Suite(.timeLimit(.minutes(5)))
struct ReportExtremesTests {
    private static let numbers: [String] = [
        "-9223372036854775808", "9223372036854775807", "0", "1", "-1", "2147483648", "-2147483649", "1000000000",
        "9223372036854775806",
    ]

    private static let texts = ["", "a", "a[0]", "\\\"<>&\\u0000\\u202e\\n", "\\u0600\\\"]; //", "{}"]

    private static let dates = [
        "2026-11-28T05:00:00.000Z", "0001-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z", "1969-12-31T23:59:59.999Z",
    ]

    private static func node(_ depth: Int, _ random: inout SeededGenerator) -> String {
        func number() -> String { numbers.randomElement(using: &random) ?? "0" }
        func text() -> String { "\"\(texts.randomElement(using: &random) ?? "")\"" }
        func time() -> String { Bool.random(using: &random) ? number() : "null" }
        let kinds = ["request", "local", "forEach", "poll", "graph", "compensation", "other"]
        let phases = ["queued", "backoff", "waiting", "running", "decoding", "odd\\u001b"]
        let statuses = RunReport.Status.allCases.map(\.rawValue)
        let spans = (0..<Int.random(in: 0...4, using: &random))
            .map { _ in
                """
                {"phase":"\(phases.randomElement(using: &random) ?? "")","attempt":\(number()),"startNs":\(number()),
                "endNs":\(number())}
                """
            }
        let children =
            depth > 2 ? [] : (0..<Int.random(in: 0...3, using: &random)).map { _ in node(depth + 1, &random) }
        return """
            {"name":\(text()),"kind":"\(kinds.randomElement(using: &random) ?? "")","dependencies":[\(text())],
            "tags":[\(text())],"status":"\(statuses.randomElement(using: &random) ?? "")","attempts":\(number()),
            "error":\(text()),"detail":\(text()),"queuedNs":\(time()),"startedNs":\(time()),"endedNs":\(time()),
            "spans":[\(spans.joined(separator: ","))],"children":[\(children.joined(separator: ","))]}
            """
    }

    @Test
    func `any report that can be read can be drawn in every form`() throws {
        var random = SeededGenerator(seed: 1)
        for _ in 0..<400 {
            let nodes = (0..<Int.random(in: 0...4, using: &random)).map { _ in Self.node(0, &random) }
            let json = """
                {"version":1,"name":"\(Self.texts.randomElement(using: &random) ?? "")","id":"x",
                "startedAt":"\(Self.dates.randomElement(using: &random) ?? "")",
                "durationNs":\(Self.numbers.randomElement(using: &random) ?? "0"),"outcome":"success",
                "nodes":[\(nodes.joined(separator: ","))]}
                """
            let report = try RunReport(json: Data(json.utf8))

            let forms = [
                report.html(), report.junitXML(), report.mermaidGantt(),
                String(decoding: try report.chromeTrace(), as: UTF8.self),
                String(decoding: try report.json(), as: UTF8.self),
            ]
            #expect(forms.allSatisfy { !$0.unicodeScalars.contains("\u{0}") })
            #expect(forms.prefix(3).allSatisfy { !$0.unicodeScalars.contains("\u{202E}") })
            #expect(report.criticalSteps.allSatisfy { $0.start <= $0.end })
            _ = (report.criticalPath, report.nodes.map(\.criticalPath), report.nodes.map(\.duration))
            let again = try RunReport(json: report.json())
            #expect(again.nodes == report.nodes)
            #expect((again.name, again.duration) == (report.name, report.duration))
        }
    }

    private static let marked = """
        {"version":§1§,"name":§"g"§,"id":§"x"§,"startedAt":§"2026-11-28T05:00:00.000Z"§,"durationNs":§9000§,
        "outcome":§"success"§,"nodes":[{"name":§"a"§,"kind":§"request"§,"dependencies":§[]§,"tags":§[]§,
        "status":§"success"§,"attempts":§1§,"error":§null§,"detail":§"GET /"§,"source":§"network"§,"queuedNs":§0§,
        "startedNs":§1000§,"endedNs":§9000§,
        "spans":[{"phase":§"running"§,"attempt":§1§,"startNs":§1000§,"endNs":§9000§}],
        "children":[{"name":"a[0]","kind":"local","status":"failure","queuedNs":§0§,"startedNs":§0§,"endedNs":§1§}]},
        {"name":"b","kind":"local","status":"success","dependencies":[§"a"§,"b"],"startedNs":§2§,"endedNs":§1§},
        {"name":§"b"§,"kind":"local","status":"success","dependencies":["b"]}]}
        """

    @Test
    func `a report with extreme values in any place is refused or drawn`() throws {
        _ = try RunReport(json: Data(ExtremeJSON.plain(Self.marked).utf8))
        let mixtures = ExtremeJSON.mixtures(of: Self.marked, count: 300, seed: 3)
        for json in ExtremeJSON.variants(of: Self.marked) + mixtures {
            guard let report = try? RunReport(json: Data(json.utf8)) else {
                continue
            }
            let forms = [report.html(), report.junitXML(), report.mermaidGantt()]
            _ = (try report.chromeTrace(), try report.json(), report.criticalPath, "\(report)")
            #expect(
                forms.allSatisfy { !$0.unicodeScalars.contains("\u{0}") && !$0.unicodeScalars.contains("\u{202E}") }
            )
            #expect(report.criticalSteps.allSatisfy { $0.start <= $0.end })
        }
    }

    @Test
    func `impossible counts of attempts are brought within their bounds`() throws {
        let json = """
            {"version":1,"name":"g","id":"x","startedAt":"2026-11-28T05:00:00.000Z","durationNs":1,"outcome":"success",
            "nodes":[{"name":"a","kind":"request","status":"success","attempts":-9223372036854775808},
            {"name":"b","kind":"request","status":"success","attempts":9223372036854775807},
            {"name":"c","kind":"request","status":"success","attempts":9223372036854775807}]}
            """
        let report = try RunReport(json: Data(json.utf8))

        #expect(report.nodes.map(\.attempts) == [0, Int(Int32.max), Int(Int32.max)])
        #expect(report.html().contains("retries"))
    }

    @Test
    func `the bar of the critical path adds up to the time of the run`() {
        let nodes = [
            RunReport.node("first", 0, 10),
            RunReport.Node(
                name: "loop",
                kind: .forEach,
                dependencies: ["first"],
                status: .success,
                queued: .milliseconds(10),
                started: .milliseconds(10),
                ended: .milliseconds(90),
                // One after the other, although all are ready at once.
                children: (0..<8)
                    .map { place in
                        var node = RunReport.node("loop[\(place)]", 10 + 10 * place, 20 + 10 * place)
                        node.queued = .milliseconds(10)
                        return node
                    }
            ),
        ]
        var report = RunReport.run(nodes)
        report.duration = .milliseconds(100)

        let page = report.html()

        #expect(page.contains("running <b>90 ms</b>"))
        #expect(page.contains("other <b>10 ms</b>"))
        #expect(!page.contains("queued <b>"))
    }
}
