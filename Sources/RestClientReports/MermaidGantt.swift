// SPDX-License-Identifier: MIT

public import JobGraphs
import RestEssentials

/// Formats a report as a Gantt chart in Mermaid's language, which many Markdown viewers draw.
enum MermaidGantt {
    /// Viewers reject longer texts; GitHub's limit is 50,000 characters.
    static let nodeLimit = 250

    static func text(_ report: RunReport) -> String {
        let (rows, omitted) = ReportRow.chosen(from: report, limit: nodeLimit)
        let ran = rows.filter { $0.node.started != nil && $0.node.ended != nil }
        var lines = ["gantt", "    title \(safe(report.name))", "    dateFormat x", "    axisFormat %M:%S.%L"]
        if omitted > 0 {
            lines.append("    %% \(omitted) nodes are left out")
        }
        // Viewers treat a repeated section as a different one.
        var sections: [[String]] = []
        var tasks: [[String]: [String]] = [:]
        for row in ran {
            if tasks[row.containers] == nil {
                sections.append(row.containers)
            }
            tasks[row.containers, default: []].append("    \(task(row))")
        }
        for section in sections {
            let name = section.isEmpty ? report.name : section.joined(separator: " › ")
            lines.append("    section \(safe(name))")
            lines += tasks[section] ?? []
        }
        if ran.isEmpty {
            lines.append("    section \(safe(report.name))")
            lines.append("    No node ran : 0, 1")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func task(_ row: ReportRow) -> String {
        let node = row.node
        let start = node.started ?? .zero
        let first = Int64(start.inMilliseconds.rounded(.down))
        // The language does not support shorter times.
        let last = max(first + 1, Int64((node.ended ?? start).inMilliseconds.rounded(.up)))
        let facts = [row.isCritical ? "crit" : nil, node.status.isSuccess ? "done" : nil, "\(first)", "\(last)"]
        let glyph = node.status == .success ? "" : "\(node.status.glyph) "
        return "\(glyph)\(safe(node.fullName)) : \(facts.compactMap(\.self).joined(separator: ", "))"
    }

    private static let keywords = [
        "gantt", "title", "section", "dateformat", "axisformat", "tickinterval", "todaymarker", "excludes", "includes",
        "inclusiveenddates", "topaxis", "weekday", "weekend", "acctitle", "accdescr", "click", "href", "call", "done",
        "active", "crit", "milestone", "vert",
    ]

    /// Returns a text that is safe as a task's name: characters with a meaning in the language are replaced by
    /// lookalikes.
    static func safe(_ text: String) -> String {
        var safe = ""
        for scalar in text.unicodeScalars.prefix(120) {
            switch scalar {
            case ":": safe += "꞉"
            case ";": safe += "；"
            case "#": safe += "＃"
            case "%": safe += "％"
            case "<": safe += "‹"
            case ">": safe += "›"
            case "&": safe += "＆"
            case "\"": safe += "”"
            case "`": safe += "ˋ"
            case "{": safe += "❴"
            case "}": safe += "❵"
            case "\0"..."\u{20}", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}": safe += " "
            case _ where MessageText.isHidden(scalar): continue
            default: safe.unicodeScalars.append(scalar)
            }
        }
        let words = safe.split(separator: " ")
        guard let first = words.first?.lowercased() else {
            return "(unnamed)"
        }
        let name = words.joined(separator: " ") + (text.unicodeScalars.count > 120 ? "…" : "")
        return keywords.contains(where: first.hasPrefix) || first.hasPrefix("-") ? "· \(name)" : name
    }
}

extension RunReport {
    /// The report as a Gantt chart in Mermaid's language, for Markdown.
    ///
    /// Times are rounded to milliseconds, the precision of the language, and its axis shows minutes and seconds. For
    /// more than 250 nodes it shows the critical path, the failed and the longest ones, and a comment on the rest.
    ///
    /// - Returns: The text of the chart, without the surrounding code fence.
    public func mermaidGantt() -> String {
        MermaidGantt.text(self)
    }
}
