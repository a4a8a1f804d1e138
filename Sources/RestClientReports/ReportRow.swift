// SPDX-License-Identifier: MIT

import JobGraphs

/// A node of a report as one line of a drawing; inner nodes follow their outer one.
struct ReportRow {
    let node: RunReport.Node
    let depth: Int
    /// The names of the enclosing nodes, the outermost first.
    let containers: [String]
    let isCritical: Bool

    /// The error of the node; `nil` if it has none, or it is that of an inner node, which shows it.
    var error: String? {
        node.status == .failure && !node.children.contains { $0.status == .failure } ? node.error : nil
    }

    /// Returns all nodes of a report in the order in which they began, each before its inner nodes; nodes that never
    /// began are at the end of each list.
    static func all(of report: RunReport) -> [ReportRow] {
        var rows: [ReportRow] = []
        append(report.nodes, inside: [], isCritical: true, to: &rows)
        return rows
    }

    /// Returns the nodes of a report that fit into a number of lines, and the number of omitted ones: those on the
    /// critical path count most, then those that failed, then the longest; enclosing nodes may exceed the limit
    /// slightly.
    static func chosen(from report: RunReport, limit: Int) -> (rows: [ReportRow], omitted: Int) {
        let rows = all(of: report)
        guard rows.count > limit else {
            return (rows, 0)
        }
        let places = rows.indices.sorted { rows[$0].weight > rows[$1].weight }
        var isChosen = [Bool](repeating: false, count: rows.count)
        for place in places.prefix(limit) {
            isChosen[place] = true
        }
        var depth = 0
        for place in rows.indices.reversed() {
            // The closest previous line with a smaller depth is the enclosing node.
            if isChosen[place] {
                depth = rows[place].depth
            } else if rows[place].depth < depth {
                isChosen[place] = true
                depth = rows[place].depth
            }
        }
        let chosen = rows.indices.filter { isChosen[$0] }.map { rows[$0] }
        return (chosen, rows.count - chosen.count)
    }

    private var weight: (Int, Int, Duration) {
        (isCritical ? 1 : 0, node.status == .failure ? 1 : 0, node.duration ?? .zero)
    }

    private static func append(
        _ nodes: [RunReport.Node],
        inside containers: [String],
        isCritical: Bool,
        to rows: inout [ReportRow]
    ) {
        let path = isCritical ? Set(CriticalPath.places(in: nodes)) : []
        let order = nodes.indices
            .map { place in (begin: nodes[place].queued ?? nodes[place].started ?? .seconds(Int64.max), place: place) }
            .sorted { $0 < $1 }
        for (_, place) in order {
            let node = nodes[place]
            let isCritical = path.contains(place)
            rows.append(
                ReportRow(node: node, depth: containers.count, containers: containers, isCritical: isCritical)
            )
            append(node.children, inside: containers + [node.name], isCritical: isCritical, to: &rows)
        }
    }
}

extension RunReport.Node {
    /// The name and the label.
    var fullName: String { label.map { "\(name) \($0)" } ?? name }
}
