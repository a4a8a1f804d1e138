// SPDX-License-Identifier: MIT

public import JobGraphs
import RestEssentials

/// Draws a report as a self-contained page.
///
/// It contains no script, and its policy forbids scripts, so that no text in the names of nodes is ever run. Errors are
/// always visible. Pointing at a line shows its facts, clicking keeps them; the choice of lines uses style rules only.
struct HTMLReport {
    /// The maximum number of lines; more would be hard to read and slow in browsers.
    static let lineLimit = 5_000

    private let report: RunReport
    private let rows: [ReportRow]
    private let omitted: Int
    private let total: Duration

    init(_ report: RunReport) {
        self.report = report
        (rows, omitted) = ReportRow.chosen(from: report, limit: Self.lineLimit)
        let end = rows.compactMap(\.node.ended).max() ?? .zero
        // The axis supports at most three centuries.
        total = min(max(report.duration, end, .nanoseconds(1)), .nanoseconds(Int64.max))
    }

    var page: String {
        var page = """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <title>\(ReportText.escaped(report.name)): \(report.outcome.rawValue)</title>
            <style>
            \(Self.style)
            </style>
            </head>
            <body>

            """
        page += header
        page += summary
        page += controls
        page += "<main style=\"--step:\(ReportText.percent(Self.step(for: total), of: total))%\">\n"
        page += axis
        if rows.isEmpty {
            page += "<p class=\"empty\">The run has no nodes.</p>\n"
        }
        for row in rows {
            page += HTMLReportLine(row, total: total).text
        }
        if omitted > 0 {
            page += """
                <p class="empty">\(omitted) more nodes are left out: those that are neither on the critical path nor failed, and \
                took the least time. The JSON report has all of them.</p>

                """
        }
        return page + "</main>\n</body>\n</html>\n"
    }

    // MARK: - Top

    private var header: String {
        let date = report.startedAt.formatted(.iso8601.dateTimeSeparator(.space)).dropLast() + " UTC"
        return """
            <header>
            <h1><bdi>\(ReportText.escaped(report.name))</bdi> <span class="badge \(report.outcome.rawValue)">\
            \(report.outcome.rawValue)</span></h1>
            <p>\(date) · run <bdi>\(ReportText.escaped(report.id))</bdi></p>
            \(resumed)\(problems)</header>

            """
    }

    private var resumed: String {
        report.nodes.resumedWork.map { "<p>Resumed: <bdi>\(ReportText.escaped($0))</bdi></p>\n" } ?? ""
    }

    /// The first errors of a run that did not succeed.
    private var problems: String {
        guard report.outcome != .success else {
            return ""
        }
        let failed = rows.indices.filter { rows[$0].error != nil }
            .sorted { (rows[$0].node.ended ?? .zero, $0) < (rows[$1].node.ended ?? .zero, $1) }
        var text = ""
        for row in failed.prefix(3).map({ rows[$0] }) {
            let name = (row.containers + [row.node.fullName]).joined(separator: " › ")
            text += "<p class=\"error\"><b><bdi>\(ReportText.escaped(name))</bdi></b> "
            text += "\(ReportText.escaped(row.error ?? ""))</p>\n"
        }
        return failed.count > 3 ? text + "<p class=\"error\">and \(failed.count - 3) more</p>\n" : text
    }

    private var summary: String {
        let counts = Dictionary(grouping: rows, by: \.node.status).mapValues(\.count)
        let all = rows.count + omitted
        var text = "<section class=\"figures\">\n"
        text += figure(ReportText.duration(report.duration), "duration")
        text += figure("\(all)", all == 1 ? "node" : "nodes")
        if omitted == 0 {
            for status in RunReport.Status.allCases {
                if let count = counts[status] {
                    text += figure("\(status.glyph) \(count)", status.words, class: status.rawValue)
                }
            }
        }
        // A repeated poll is not a retry.
        let retries = rows.filter { $0.node.kind != .poll }
            .reduce(0) { $0.addingClamped(max(0, $1.node.attempts.addingClamped(-1))) }
        if retries > 0 {
            text += figure("↻ \(retries)", retries == 1 ? "retry" : "retries")
        }
        return text + "</section>\n" + path
    }

    private func figure(_ number: String, _ words: String, class name: String = "") -> String {
        "<div class=\"figure \(name)\"><b>\(number)</b><span>\(words)</span></div>\n"
    }

    private var path: String {
        let path = rows.filter { $0.depth == 0 && $0.isCritical }
        guard !path.isEmpty else {
            return ""
        }
        let shown = path.count <= 9 ? path[...] : path[..<4] + path[(path.count - 4)...]
        var names = shown.map { "<bdi>\(ReportText.escaped($0.node.name))</bdi>" }
        if path.count > shown.count {
            names.insert("… \(path.count - shown.count) more …", at: 4)
        }
        var text = "<section class=\"path\">\n<h2>Critical path</h2>\n<p>"
        text += names.joined(separator: " <i>›</i> ") + "</p>\n<div class=\"share\">"
        let times = phaseTimes
        let unknown = Set(times.keys).subtracting(RunReport.Phase.known + [.other]).sorted { $0.rawValue < $1.rawValue }
        let phases = RunReport.Phase.known + unknown + (times[.other, default: .zero] > .zero ? [.other] : [])
        for phase in phases {
            if let time = times[phase], time > .zero {
                let width = ReportText.percent(time, of: report.duration)
                text += "<i class=\"\(phase.style)\" style=\"width:\(width)%\"></i>"
            }
        }
        text += "</div>\n<ul class=\"legend\">\n"
        for phase in phases {
            let time = times[phase].map { "<b>\(ReportText.duration($0))</b>" } ?? ""
            text += "<li><i class=\"\(phase.style)\"></i>\(phase.text) \(time)</li>\n"
        }
        return text + "<li><i class=\"mark\"></i>on the critical path</li>\n</ul>\n</section>\n"
    }

    /// The time of the run by phase, each interval by the phases of the node that the run was waiting for; the times
    /// add up to that of the run.
    private var phaseTimes: [RunReport.Phase: Duration] {
        var times: [RunReport.Phase: Duration] = [:]
        var spans: [[String]: [RunReport.Span]] = [:]
        report.nodes.forEachNode { path, node in
            if spans[path] == nil {
                spans[path] = node.drawnSpans
            }
        }
        for step in report.criticalSteps {
            var rest = step.duration
            for span in (spans[step.path] ?? []).inOrder(from: step.start, to: step.end) {
                times[span.phase, default: .zero] += span.duration
                rest -= span.duration
            }
            times[.other, default: .zero] += rest
        }
        return times
    }

    private var controls: String {
        guard rows.count > 1 else {
            return ""
        }
        return """
            <form class="choice" aria-label="Lines to show">
            <label><input type="radio" name="show" id="show-all" checked> All nodes</label>
            <label><input type="radio" name="show" id="show-critical"> Critical path</label>
            <label><input type="radio" name="show" id="show-problems"> Not successful</label>
            <label><input type="radio" name="show" id="show-top"> Without inner nodes</label>
            </form>

            """
    }

    // MARK: - Axis

    private var axis: String {
        let step = Self.step(for: total)
        var labels = ""
        var tick = Duration.zero
        while tick <= total {
            let place = ReportText.percent(tick, of: total)
            // A label at the right end would extend beyond it.
            if tick / total < 0.93 {
                labels += "<span style=\"left:\(place)%\">\(tick == .zero ? "0" : ReportText.duration(tick))</span>"
            }
            tick += step
        }
        return """
            <div class="line axis">
            <span class="name">Node</span><span class="took">Time</span><span class="track">\(labels)</span>
            </div>

            """
    }

    /// Returns the distance between the marks of the axis: 1, 2 or 5 times a power of ten, so that there are at most
    /// ten.
    static func step(for total: Duration) -> Duration {
        var step: Int64 = 1
        for place in 0..<57 where Double(step) * 10 < Double(total.wholeNanoseconds) {
            step = Int64(Double(step) * (place % 3 == 1 ? 2.5 : 2))
        }
        return .nanoseconds(step)
    }
}

extension RunReport {
    /// The report as a page with a waterfall of the nodes, on which the critical path is marked.
    ///
    /// The page is self-contained, without scripts or network access, and follows the reader's choice of a light or
    /// dark scheme. For more than 5,000 nodes it shows the critical path, the failed and the longest ones, and a note
    /// on the rest.
    ///
    /// - Returns: The page.
    public func html() -> String {
        HTMLReport(self).page
    }
}

extension [RunReport.Node] {
    /// Passes each node with the names of the enclosing ones and its own, outermost first.
    fileprivate func forEachNode(inside path: [String] = [], _ body: ([String], RunReport.Node) -> Void) {
        for node in self {
            body(path + [node.name], node)
            node.children.forEachNode(inside: path + [node.name], body)
        }
    }
}

extension RunReport.Phase {
    /// The phases of graphs and of requests that have a color, in the order of the legend.
    static let known = [
        "queued", "backoff", "authenticating", "connecting", "blocked", "sending", "waiting", "receiving", "decoding",
        "running",
    ]
    .map { RunReport.Phase(rawValue: $0) }

    /// The time on the critical path that no phase explains, such as that of the engine between two nodes.
    static let other = RunReport.Phase(rawValue: "other")

    /// The style in which the phase is drawn: an unknown one like running work.
    var style: String { (self == .other || Self.known.contains(self) ? self : Self.running).rawValue }

    var text: String { ReportText.escaped(rawValue) }
}
