// SPDX-License-Identifier: MIT

import JobGraphs

/// Draws one node as a line of the page: its name, its time, its bars, and the facts shown on pointing at it.
struct HTMLReportLine {
    private let row: ReportRow
    private let total: Duration

    private var node: RunReport.Node { row.node }

    init(_ row: ReportRow, total: Duration) {
        self.row = row
        self.total = total
    }

    var text: String {
        let classes = [
            "line", "node", node.status.rawValue, row.isCritical ? "critical" : nil, row.depth > 0 ? "inner" : nil,
        ]
        let error = row.error.map { "<p class=\"error\">\(ReportText.escaped($0))</p>\n" } ?? ""
        return """
            <div class="\(classes.compactMap(\.self).joined(separator: " "))" tabindex="0" style="--depth:\(min(row.depth, 12))">
            <span class="name"><i class="glyph" title="\(node.status.words)">\(node.status.glyph)</i>\
            \(name)\(node.attempts > 1 ? "<em>×\(node.attempts)</em>" : "")\
            <small>\(ReportText.escaped(node.kind.rawValue))</small></span>\
            <span class="took">\(node.duration.map(ReportText.duration) ?? "–")</span>\
            <span class="track">\(bars)</span>
            \(error)\(facts)</div>

            """
    }

    /// The name and the label; the index of an element stays visible, however long the name of its loop is.
    private var name: String {
        guard let label = node.label else {
            return place
        }
        return "\(place)<bdi class=\"label\">\(ReportText.escaped(label))</bdi>"
    }

    private var place: String {
        guard let loop = row.containers.last, node.name.hasPrefix(loop), node.name.hasSuffix("]") else {
            return "<bdi>\(ReportText.escaped(node.name))</bdi>"
        }
        let place = node.name.dropFirst(loop.count)
        return "<bdi>\(ReportText.escaped(loop))</bdi><bdi class=\"place\">\(ReportText.escaped(String(place)))</bdi>"
    }

    // MARK: - Bars

    private var bars: String {
        var bars = ""
        if let started = node.started, let ended = node.ended {
            if !node.children.isEmpty {
                bars += bar("around", started, ended)
            } else if row.isCritical {
                bars += bar("mark", node.queued ?? started, ended)
            }
        }
        for span in node.drawnSpans {
            bars += bar(span.phase.style, span.start, span.end)
        }
        if bars.isEmpty {
            bars = "<span class=\"none\">\(node.status.words)</span>"
        } else if !node.status.isSuccess, let ended = node.ended {
            bars += "<b style=\"left:\(ReportText.percent(ended, of: total))%\">\(node.status.glyph)</b>"
        }
        return bars
    }

    private func bar(_ name: String, _ start: Duration, _ end: Duration) -> String {
        let left = ReportText.percent(start, of: total)
        let width = ReportText.percent(end - start, of: total)
        return "<i class=\"\(name)\" style=\"left:\(left)%;width:\(width)%\"></i>"
    }

    // MARK: - Facts

    private var facts: String {
        var facts = "<div class=\"facts\">\n<dl>\n"
        facts += fact("status", node.status.words + (node.source.map { ", from \($0.words)" } ?? ""))
        if let detail = node.detail {
            facts += fact("did", detail)
        }
        if !row.containers.isEmpty {
            facts += fact("inside", row.containers.joined(separator: " › "))
        }
        if !node.dependencies.isEmpty {
            facts += fact("after", Self.list(node.dependencies))
        }
        if !node.tags.isEmpty {
            facts += fact("tags", Self.list(node.tags))
        }
        if let started = node.started, let ended = node.ended {
            facts += fact("ran", "\(ReportText.duration(started)) – \(ReportText.duration(ended))")
        }
        let spans = node.drawnSpans
        let hasTries = spans.contains { $0.attempt > 1 }
        for span in spans.prefix(40) {
            let number = hasTries && span.attempt > 0 ? " #\(span.attempt)" : ""
            facts += "<dt><i class=\"\(span.phase.style)\"></i>\(span.phase.text)\(number)</dt>"
            facts += "<dd>\(ReportText.duration(span.duration))</dd>\n"
        }
        if spans.count > 40 {
            facts += fact("…", "\(spans.count - 40) more")
        }
        facts += "</dl>\n"
        if let error = node.error {
            facts += "<pre>\(ReportText.escaped(error))</pre>\n"
        }
        return facts + "</div>\n"
    }

    private func fact(_ name: String, _ text: String) -> String {
        "<dt>\(name)</dt><dd><bdi>\(ReportText.escaped(text))</bdi></dd>\n"
    }

    private static func list(_ names: [String]) -> String {
        names.count <= 12
            ? names.joined(separator: ", ")
            : names.prefix(12).joined(separator: ", ") + ", and \(names.count - 12) more"
    }
}

// MARK: - Words

extension RunReport.Node {
    /// The spans that the line draws, including those derived from the node's own times.
    var drawnSpans: [RunReport.Span] {
        guard let started, let ended, children.isEmpty else {
            return spans
        }
        var drawn = spans
        if let queued, queued < started, !spans.contains(where: { $0.phase == .queued }) {
            drawn.insert(RunReport.Span(.queued, attempt: 0, start: queued, end: started), at: 0)
        }
        if spans.isEmpty {
            drawn.append(RunReport.Span(.running, attempt: 0, start: started, end: ended))
        }
        return drawn
    }
}

extension RunReport.Status {
    /// The status as a symbol, for readers who cannot distinguish colors.
    var glyph: String {
        switch self {
        case .success: "✓"
        case .fromCache: "≡"
        case .resumed: "»"
        case .failure: "✕"
        case .compensated: "↺"
        case .skipped: "⤼"
        case .notRun: "·"
        case .cancelled: "⊘"
        }
    }
}

extension RunReport.Source {
    fileprivate var words: String {
        switch rawValue {
        case "network": "the network"
        case "cache": "the cache"
        case "revalidatedCache": "the cache, confirmed by the server"
        case "dummy": "a dummy"
        case "resultHandler": "a result handler"
        case "fallback": "a fallback value"
        default: rawValue
        }
    }
}
