// SPDX-License-Identifier: MIT

public import JobGraphs
import RestEssentials

/// Formats a report as the XML that build servers read: each node is a test case, and each node with inner nodes a
/// suite.
enum JUnitReport {
    private struct Suite {
        let name: String
        var nodes: [RunReport.Node] = []
        var time: Duration?
    }

    static func text(_ report: RunReport) -> String {
        let suites = suites(of: report)
        let date = report.startedAt.formatted(.iso8601.timeZoneSeparator(.omitted)).dropLast()
        let cases = suites.flatMap(\.nodes)
        var xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        xml += "<testsuites name=\"\(ReportText.attribute(report.name))\" \(counts(of: cases))"
        xml += " time=\"\(seconds(report.duration))\">\n"
        for suite in suites where !suite.nodes.isEmpty || suite.name == report.name {
            let name = ReportText.attribute(suite.name)
            xml += "  <testsuite name=\"\(name)\" \(counts(of: suite.nodes)) time=\"\(seconds(suite.time))\""
            xml += " timestamp=\"\(date)\">\n"
            for node in suite.nodes {
                xml += testCase(node, in: name)
            }
            xml += "  </testsuite>\n"
        }
        return xml + "</testsuites>\n"
    }

    private static func suites(of report: RunReport) -> [Suite] {
        var suites: [Suite] = []
        func append(_ nodes: [RunReport.Node], _ name: String, _ time: Duration?) {
            // A node whose failure comes from an inner node is not counted again.
            let cases = nodes.filter { node in
                node.children.isEmpty || (node.status == .failure && !node.children.contains { $0.status == .failure })
            }
            suites.append(Suite(name: name, nodes: cases, time: time))
            for node in nodes where !node.children.isEmpty {
                append(node.children, "\(name) / \(node.name)", node.duration)
            }
        }
        append(report.nodes, report.name, report.duration)
        return suites
    }

    private static func counts(of nodes: [RunReport.Node]) -> String {
        let failures = nodes.count { $0.status == .failure }
        let errors = nodes.count { $0.status == .cancelled }
        let skipped = nodes.count { skipReason($0.status) != nil }
        return "tests=\"\(nodes.count)\" failures=\"\(failures)\" errors=\"\(errors)\" skipped=\"\(skipped)\""
    }

    private static func testCase(_ node: RunReport.Node, in suite: String) -> String {
        let name = ReportText.attribute(node.fullName)
        var content = ""
        switch node.status {
        case .failure:
            let error = node.error ?? "the node failed"
            let message = ReportText.attribute(String(error.prefix { !$0.isNewline }))
            content += "      <failure message=\"\(message)\" type=\"failure\">\(ReportText.escaped(error))</failure>\n"
        case .cancelled:
            content += "      <error message=\"the node was cancelled\" type=\"cancelled\"/>\n"
        default:
            if let reason = skipReason(node.status) {
                content += "      <skipped message=\"\(reason)\"/>\n"
            }
        }
        if let detail = node.detail {
            let tries = node.attempts > 1 ? "\n\(node.attempts) tries" : ""
            content += "      <system-out>\(ReportText.escaped(detail))\(tries)</system-out>\n"
        }
        let head = "    <testcase classname=\"\(suite)\" name=\"\(name)\" time=\"\(seconds(node.duration))\""
        return content.isEmpty ? "\(head)/>\n" : "\(head)>\n\(content)    </testcase>\n"
    }

    private static func skipReason(_ status: RunReport.Status) -> String? {
        switch status {
        case .skipped: "a node that this one needs did not succeed, or its condition did not hold"
        case .notRun: "the run ended before"
        case .compensated: "it succeeded, and was compensated because the run failed"
        case .success, .fromCache, .resumed, .failure, .cancelled: nil
        }
    }

    private static func seconds(_ duration: Duration?) -> String {
        ReportText.decimal(max(0, (duration ?? .zero).wholeNanoseconds / 1_000), digits: 6)
    }
}

extension RunReport {
    /// The report as JUnit XML, which build servers read.
    ///
    /// Each node is a test case. The inner nodes of a node are a suite named after it. A cancelled node is an error; a
    /// node that did not run or was compensated is skipped.
    ///
    /// - Returns: The document.
    public func junitXML() -> String {
        JUnitReport.text(self)
    }
}
