// SPDX-License-Identifier: MIT

import JobGraphsTestSupport
import Testing

@testable import JobGraphs
@testable import RestClientReports

@Suite struct MermaidGanttTests {
    @Test
    func `the chart shows what ran, the critical path marked and nodes inside others in a section`() {
        #expect(
            RunReport.sample.mermaidGantt() == """
                gantt
                    title nightly
                    dateFormat x
                    axisFormat %M:%S.%L
                    section nightly
                    login : crit, done, 0, 90
                    me : crit, done, 95, 300
                    ≡ items : done, 90, 91
                    ✕ details : 91, 400
                    audit : crit, done, 300, 480
                    section details
                    details[0] : done, 91, 300
                    details[1] : done, 131, 350
                    ✕ details[2] : 171, 400

                """
        )
    }

    @Test(arguments: [
        ("a:b;c#d", "a꞉b；c＃d"), ("%%{init: x}%%", "％％❴init꞉ x❵％％"), ("<b>&\"`", "‹b›＆”ˋ"),
        ("section two", "· section two"), ("Title", "· Title"), ("---", "· ---"), ("a\nb\u{2028}c\0", "a b c"),
        (" \n", "(unnamed)"), ("", "(unnamed)"), ("\u{202E}txt", "txt"),
        (String(repeating: "x", count: 130), String(repeating: "x", count: 120) + "…"),
    ])
    func `a name means nothing in the language`(name: String, safe: String) {
        #expect(MermaidGantt.safe(name) == safe)
    }

    @Test
    func `a chart without nodes is still one`() {
        #expect(RunReport.run([]).mermaidGantt().hasSuffix("    section run\n    No node ran : 0, 1\n"))
    }

    @Test
    func `times shorter than a millisecond take one`() {
        var node = RunReport.node("quick", 3, 3)
        node.ended = .microseconds(3_001)

        #expect(RunReport.run([node]).mermaidGantt().contains("quick : crit, done, 3, 4\n"))
    }

    @Test
    func `of too many nodes the rest is counted in a comment`() {
        let chart = RunReport.run((0..<300).map { RunReport.node("n\($0)", $0, $0 + 1) }).mermaidGantt()

        #expect(chart.contains("%% 50 nodes are left out"))
        #expect(chart.utf8.count < 50_000)
    }
}
