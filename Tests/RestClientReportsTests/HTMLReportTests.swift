// SPDX-License-Identifier: MIT

import JobGraphsTestSupport
import Testing

@testable import JobGraphs
@testable import RestClientReports

@Suite struct HTMLReportTests {
    private static let hostile = "<script>alert('1')</script>\" onmouseover=\"x\0\u{1B}&amp;"

    /// The lines of nodes, by the names that they show.
    private func names(_ page: String) -> [String] {
        page.split(separator: "\n")
            .filter { $0.contains("<span class=\"name\"><i class=\"glyph\"") }
            .compactMap { line in
                // The place of an element stands apart from the name of its loop.
                let line = line.replacing("</bdi><bdi class=\"place\">", with: "")
                return line.firstRange(of: "<bdi>")
                    .flatMap { start in
                        line.firstRange(of: "</bdi>").map { String(line[start.upperBound..<$0.lowerBound]) }
                    }
            }
    }

    @Test
    func `the page needs nothing but itself, and allows no script`() {
        let page = RunReport.sample.html()

        for mark in ["<script", "src=", "href=", "url(", "@import", "http://", "onclick"] {
            #expect(!page.contains(mark), "\(mark)")
        }
        #expect(page.contains("content=\"default-src 'none'; style-src 'unsafe-inline'\""))
    }

    @Test
    func `each node has a line, in the order in which they began, those inside below theirs`() {
        #expect(
            names(RunReport.sample.html()) == [
                "login", "me", "items", "details", "details[0]", "details[1]", "details[2]", "audit", "summary",
            ]
        )
    }

    @Test
    func `the place of an element is never cut off`() {
        let name = String(repeating: "long ", count: 40)
        var loop = RunReport.node(name, 0, 9)
        loop.children = [RunReport.node("\(name)[7]", 0, 9), RunReport.node("\(name)other", 0, 9)]
        let page = RunReport.run([loop]).html()

        #expect(page.contains("<bdi>\(name)</bdi><bdi class=\"place\">[7]</bdi>"))
        #expect(page.contains("<bdi>\(name)other</bdi>"))
    }

    @Test
    func `errors are visible without pointing at a line, each once in its line and the first ones on top`() {
        let page = RunReport.sample.html()
        let error = "unacceptableStatus: the server answered 500 Internal Server Error"

        #expect(page.contains("<p class=\"error\"><b><bdi>details › details[2]</bdi></b> \(error)</p>"))
        // The loop fails with the error of its element.
        #expect(page.ranges(of: "<p class=\"error\">\(error)</p>").count == 1)

        var failed = (0..<5).map { RunReport.node("n\($0)", 0, 9 - $0) }
        for place in failed.indices {
            failed[place].status = .failure
            failed[place].error = "error \(place)"
        }
        let other = RunReport.run(failed, outcome: .failure).html()
        #expect(other.contains("<bdi>n4</bdi></b> error 4</p>"))
        #expect(other.contains("<p class=\"error\">and 2 more</p>"))
        #expect(!RunReport.run(failed).html().contains("and 2 more"))
    }

    @Test
    func `the label of an element is beside its name, and resumed work on top`() throws {
        var loop = RunReport.node("loop", 0, 9)
        loop.kind = .forEach
        loop.children = [RunReport.node("loop[0]", 0, 9)]
        loop.children[0].label = "<harbour>"
        loop.children[0].status = .resumed
        let report = RunReport.run([loop])

        #expect(try RunReport(json: report.json()) == report)
        let page = report.html()
        #expect(page.contains("<bdi class=\"place\">[0]</bdi><bdi class=\"label\">&lt;harbour&gt;</bdi>"))
        #expect(page.contains("<p>Resumed: <bdi>1 of 1 elements of loop</bdi></p>"))
        #expect(report.mermaidGantt().contains("loop[0] ‹harbour›"))
        #expect(report.junitXML().contains("name=\"loop[0] &lt;harbour&gt;\""))
    }

    @Test
    func `a repeated poll is not a retry`() {
        var poll = RunReport.node("poll", 0, 9)
        poll.kind = .poll
        poll.attempts = 5
        #expect(!RunReport.run([poll]).html().contains("retries"))
        poll.kind = .request
        #expect(RunReport.run([poll]).html().contains("↻ 4"))
    }

    @Test
    func `lines on the critical path are marked, and no others`() {
        let critical = RunReport.sample.html().split(separator: "<div class=\"line node").dropFirst()
            .filter { $0.prefix { $0 != ">" }.contains("critical") }

        #expect(names(critical.joined()) == ["login", "me", "audit"])
    }

    @Test
    func `bars stand where their time is`() {
        let page = RunReport.sample.html()

        // From 95 to 140 of 480 ms, and from 140 to 200.
        #expect(page.contains("<i class=\"waiting\" style=\"left:19.792%;width:9.375%\"></i>"))
        #expect(page.contains("<i class=\"backoff\" style=\"left:29.167%;width:12.500%\"></i>"))
    }

    @Test
    func `nothing that a report holds becomes markup`() {
        let text = Self.hostile
        var node = RunReport.node(text, after: [text], 0, 1)
        node.kind = RunReport.Kind(rawValue: text)
        node.status = .failure
        node.error = text
        node.detail = text
        node.tags = [text]
        node.children = [RunReport.node(text, 0, 1)]
        var report = RunReport.run([node], outcome: .failure)
        report.name = text
        report.id = text

        let page = report.html()

        #expect(!page.contains("<script"))
        #expect(!page.contains("\" onmouseover"))
        #expect(!page.contains("\0") && !page.contains("\u{1B}"))
        #expect(
            page.contains(
                "&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&quot; onmouseover=&quot;x\u{FFFD}\u{FFFD}&amp;amp;"
            )
        )
    }

    @Test
    func `a report without nodes says so`() {
        #expect(RunReport.run([]).html().contains("The run has no nodes."))
    }

    @Test
    func `of too many nodes the critical, the failed and the longest are shown, and the rest is counted`() {
        var nodes = (0..<5_010).map { RunReport.node("n\($0)", 0, 1 + $0 % 2) }
        nodes[8].status = .failure
        nodes.append(RunReport.node("last", after: ["n0"], 1, 9))

        let page = RunReport.run(nodes).html()

        let names = names(page)
        #expect(names.count == HTMLReport.lineLimit)
        #expect(["n0", "n8", "last"].allSatisfy(names.contains))
        #expect(page.contains("11 more nodes are left out"))
    }

    @Test
    func `a node is shown together with its enclosing nodes`() {
        var outer = RunReport.node("outer", 0, 1)
        outer.status = .skipped
        outer.children = [RunReport.node("short", 0, 1), RunReport.node("long", 0, 100)]

        let (rows, omitted) = ReportRow.chosen(from: RunReport.run([outer, RunReport.node("aside", 0, 2)]), limit: 1)

        #expect(rows.map(\.node.name) == ["aside"] || rows.map(\.node.name) == ["outer", "long"])
        #expect(rows.count + omitted == 4)
    }

    @Test(arguments: [
        (10, 1), (11, 2), (21, 5), (480_000_000, 50_000_000), (1, 1), (101, 20), (100, 10),
        (.max, 1_000_000_000_000_000_000),
    ])
    func `the axis has at most ten steps of round length`(total: Int64, step: Int64) {
        #expect(HTMLReport.step(for: .nanoseconds(total)) == .nanoseconds(step))
    }

    @Test
    func `a phase of other work is drawn like running work, and its name is only text`() {
        var node = RunReport.node("odd", 0, 10)
        let phase = RunReport.Phase(rawValue: Self.hostile)
        node.spans = [RunReport.Span(phase, start: .zero, end: .milliseconds(10))]
        node.source = RunReport.Source(rawValue: Self.hostile)
        let page = RunReport.run([node]).html()

        #expect(!page.contains("<script"))
        #expect(!page.contains("onmouseover=\"x"))
        #expect(page.contains("<i class=\"running\"></i>&lt;script&gt;"))
        #expect(page.contains("from &lt;script&gt;"))
    }

    @Test
    func `times beyond all bounds are drawn without a trap`() {
        var node = RunReport.node("odd", 5, 1)
        node.queued = .seconds(-5)
        node.ended = .seconds(Int64.max)
        node.spans = [RunReport.Span(.queued, start: .seconds(Int64.max), end: .seconds(Int64.min / 2))]
        var report = RunReport.run([node])
        report.duration = .seconds(-1)

        #expect(report.html().contains("odd"))
        #expect(report.junitXML().contains("odd"))
        #expect(report.mermaidGantt().contains("odd"))
        #expect(throws: Never.self) { try report.chromeTrace() }
    }
}
