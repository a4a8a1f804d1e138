// SPDX-License-Identifier: MIT

import RestEssentials

extension GraphRun: CustomStringConvertible {
    /// The status of the run, the number of nodes with each status, and the errors, without results.
    public var description: String {
        let nodes = nodes
        var counts: [RunReport.Status: Int] = [:]
        for node in nodes {
            counts[node.status, default: 0] += 1
        }
        let words = RunReport.Status.allCases.compactMap { status in counts[status].map { "\($0) \(status.words)" } }
        let end = words.isEmpty ? "no nodes" : words.joined(separator: ", ")
        let failures = nodes.compactMap { node in node.error.map { ("'\(node.name)'", $0) } }
        let undone = compensations.compactMap { undo in
            undo.outcome.error.map { ("'\(undo.name)' of '\(undo.node)'", $0) }
        }
        let lines = (failures + undone).prefix(20).map { "  \($0): \(self.words($1))" }
        let status = isStored ? "\(status.rawValue), stored by an earlier run," : status.rawValue
        return MessageText.lines(["\(name): \(status) after \(ReportText.duration(duration)), \(end)"] + lines)
    }
}
