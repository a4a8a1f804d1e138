// SPDX-License-Identifier: MIT

import JobGraphsTestSupport
import Testing

@testable import JobGraphs
@testable import RestClientReports

@Suite struct JUnitReportTests {
    @Test
    func `each node is a test case, and nodes inside another one are a suite`() {
        #expect(
            RunReport.sample.junitXML() == """
                <?xml version="1.0" encoding="UTF-8"?>
                <testsuites name="nightly" tests="8" failures="1" errors="0" skipped="1" time="0.480000">
                  <testsuite name="nightly" tests="5" failures="0" errors="0" skipped="1" time="0.480000" \
                timestamp="2026-11-21T09:00:00">
                    <testcase classname="nightly" name="login" time="0.090000">
                      <system-out>GET https://api.example.com/login</system-out>
                    </testcase>
                    <testcase classname="nightly" name="me" time="0.205000">
                      <system-out>GET https://api.example.com/me
                2 tries</system-out>
                    </testcase>
                    <testcase classname="nightly" name="items" time="0.001000"/>
                    <testcase classname="nightly" name="summary" time="0.000000">
                      <skipped message="a node that this one needs did not succeed, or its condition did not hold"/>
                    </testcase>
                    <testcase classname="nightly" name="audit" time="0.180000"/>
                  </testsuite>
                  <testsuite name="nightly / details" tests="3" failures="1" errors="0" skipped="0" time="0.309000" \
                timestamp="2026-11-21T09:00:00">
                    <testcase classname="nightly / details" name="details[0]" time="0.209000">
                      <system-out>GET https://api.example.com/details[0]</system-out>
                    </testcase>
                    <testcase classname="nightly / details" name="details[1]" time="0.219000">
                      <system-out>GET https://api.example.com/details[1]</system-out>
                    </testcase>
                    <testcase classname="nightly / details" name="details[2]" time="0.229000">
                      <failure message="unacceptableStatus: the server answered 500 Internal Server Error" \
                type="failure">unacceptableStatus: the server answered 500 Internal Server Error</failure>
                      <system-out>GET https://api.example.com/details[2]</system-out>
                    </testcase>
                  </testsuite>
                </testsuites>

                """
        )
    }

    @Test
    func `a node that failed though none inside it did is a test case itself`() {
        var outer = RunReport.node("outer", 0, 5)
        outer.status = .failure
        outer.error = "first line\nsecond <line>"
        outer.children = [RunReport.node("inner", 0, 1)]

        let xml = RunReport.run([outer], outcome: .failure).junitXML()

        #expect(xml.contains("tests=\"2\" failures=\"1\""))
        #expect(
            xml.contains("<failure message=\"first line\" type=\"failure\">first line\nsecond &lt;line&gt;</failure>")
        )
    }

    @Test(arguments: [
        (RunReport.Status.cancelled, "<error message=\"the node was cancelled\" type=\"cancelled\"/>"),
        (.notRun, "<skipped message=\"the run ended before\"/>"),
        (.compensated, "<skipped message=\"it succeeded, and was compensated because the run failed\"/>"),
        (.failure, "<failure message=\"the node failed\" type=\"failure\">the node failed</failure>"),
    ])
    func `what did not succeed says how`(status: RunReport.Status, element: String) {
        let node = RunReport.Node(name: "a", kind: .local, status: status)

        #expect(RunReport.run([node]).junitXML().contains("      \(element)\n"))
    }

    @Test
    func `names are escaped, and their line breaks kept`() {
        let xml = RunReport.run([RunReport.node("<a b=\"'&\n\u{1}\u{FFFE}", 0, 1)]).junitXML()

        #expect(xml.contains("name=\"&lt;a b=&quot;&#39;&amp;&#10;\u{FFFD}\u{FFFD}\""))
    }

    @Test
    func `a report without nodes has one empty suite`() {
        #expect(RunReport.run([]).junitXML().contains("<testsuite name=\"run\" tests=\"0\""))
    }
}
