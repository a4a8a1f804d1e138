// SPDX-License-Identifier: MIT

import RestEssentials

extension JobGraph {
    /// The structure as a Mermaid flow chart, for inspection before the graph is run.
    ///
    /// Solid lines carry results, dotted ones only order nodes; a condition is the label of its line.
    public var mermaid: String {
        (["flowchart TD"] + mermaidLines(prefix: "n", indent: "    ")).joined(separator: "\n") + "\n"
    }

    private func mermaidLines(prefix: String, indent: String) -> [String] {
        var lines: [String] = []
        for (index, node) in nodes.enumerated() {
            let id = "\(prefix)\(index)"
            let label = "\"\(Self.mermaidText(node.name))\""
            if let graph = subgraphs[index] {
                lines.append("\(indent)subgraph \(id)[\(label)]")
                lines += graph.mermaidLines(prefix: "\(id)_", indent: indent + "    ")
                lines.append("\(indent)end")
                continue
            }
            let shape =
                switch node.kind {
                case .request, .pages, .poll: "[\(label)]"
                case .input: "[/\(label)/]"
                case .local, .job: "(\(label))"
                case .forEach, .graph: "[[\(label)]]"
                case .condition: "{\(label)}"
                case .fallback: "{{\(label)}}"
                }
            lines.append("\(indent)\(id)\(shape)")
        }
        for edge in edges {
            lines.append("\(indent)\(prefix)\(edge.from) \(Self.mermaidArrow(edge.need)) \(prefix)\(edge.to)")
        }
        for (index, compensation) in compensations.sorted(by: { $0.key < $1.key }) {
            lines.append("\(indent)\(prefix)\(index)u>\"\(Self.mermaidText(compensation.name))\"]")
            lines.append("\(indent)\(prefix)\(index) -. undo .-> \(prefix)\(index)u")
        }
        return lines
    }

    private static func mermaidArrow(_ need: JobEdge.Need) -> String {
        switch need {
        case .value: "-->"
        case .success: "-.->"
        case .end: "-. any end .->"
        case .truth: "-- if -->"
        case .falsehood: "-- unless -->"
        }
    }

    /// Returns a text for a quoted label: characters with a meaning in Mermaid or HTML become entities.
    private static func mermaidText(_ text: String) -> String {
        var result = ""
        for scalar in MessageText.of(text, keepsLines: true).unicodeScalars {
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", " ", "-", "_", ".", ",", ":", "/", "'", "(", ")", "+":
                result.unicodeScalars.append(scalar)
            case _ where scalar.value > 0x7F && !scalar.properties.isPatternWhitespace:
                result.unicodeScalars.append(scalar)
            default:
                result += "#\(scalar.value);"
            }
        }
        return result.isEmpty ? " " : result
    }

    /// The structure in the DOT language of Graphviz.
    ///
    /// Solid lines carry results, dashed ones only order nodes; a condition is the label of its line.
    public var dot: String {
        let lines = ["rankdir=TB;", "node [fontname=\"Helvetica\"];"] + dotLines(prefix: "n")
        return "digraph \(Self.dotText(name)) {\n" + lines.map { "    \($0)\n" }.joined() + "}\n"
    }

    private func dotLines(prefix: String) -> [String] {
        var lines: [String] = []
        for (index, node) in nodes.enumerated() {
            let shape =
                switch node.kind {
                case .request, .pages, .poll: "box"
                case .input: "parallelogram"
                case .local, .job: "ellipse"
                case .forEach, .graph: "box3d"
                case .condition: "diamond"
                case .fallback: "hexagon"
                }
            lines.append("\(prefix)\(index) [label=\(Self.dotText(node.name)), shape=\(shape)];")
            if let graph = subgraphs[index] {
                lines.append("subgraph cluster_\(prefix)\(index) {")
                lines.append("    label=\(Self.dotText(graph.name));")
                lines += graph.dotLines(prefix: "\(prefix)\(index)_").map { "    \($0)" }
                lines.append("}")
            }
        }
        for edge in edges {
            let style =
                switch edge.need {
                case .value: ""
                case .success: " [style=dashed]"
                case .end: " [style=dashed, label=\"any end\"]"
                case .truth: " [label=\"if\"]"
                case .falsehood: " [label=\"unless\"]"
                }
            lines.append("\(prefix)\(edge.from) -> \(prefix)\(edge.to)\(style);")
        }
        for (index, compensation) in compensations.sorted(by: { $0.key < $1.key }) {
            lines.append("\(prefix)\(index)u [label=\(Self.dotText(compensation.name)), shape=note];")
            lines.append("\(prefix)\(index) -> \(prefix)\(index)u [style=dotted, label=\"undo\"];")
        }
        return lines
    }

    private static func dotText(_ text: String) -> String {
        var quoted = "\""
        // Scalars, not characters: a quote behind a sign that binds to the next one is a part of another character.
        for scalar in MessageText.of(text.replacing("\r\n", with: "\n"), keepsLines: true).unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
