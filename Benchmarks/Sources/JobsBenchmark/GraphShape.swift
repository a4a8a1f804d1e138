// SPDX-License-Identifier: MIT

import RestClient

/// Graphs of nodes that do almost nothing: they add one to their input.
enum GraphShape: String, CaseIterable {
    /// One after the other.
    case chain
    /// All of them behind one.
    case fan
    /// One, two that need it, one that needs both, and so on.
    case diamonds

    /// Makes a graph of so many nodes.
    ///
    /// - Parameters:
    ///   - count: How many.
    ///   - waits: Whether their work is `async`; it does not wait even then.
    /// - Returns: The graph.
    func graph(of count: Int, waits: Bool) -> JobGraph {
        var graph = JobGraph(rawValue)
        let first = graph.local("0") { 1 }
        var (last, made) = (first, 1)
        func name() -> String {
            defer { made += 1 }
            return "\(made)"
        }
        while made < count {
            switch self {
            case .chain:
                last = Self.add(name(), to: &graph, after: last, waits: waits)
            case .fan:
                Self.add(name(), to: &graph, after: first, waits: waits)
            case .diamonds:
                let left = Self.add(name(), to: &graph, after: last, waits: waits)
                let right = Self.add(name(), to: &graph, after: last, waits: waits)
                last =
                    waits
                    ? graph.local(name(), after: left, right) { left, right async in left &+ right }
                    : graph.local(name(), after: left, right) { left, right in left &+ right }
            }
        }
        return graph
    }

    @discardableResult
    private static func add(
        _ name: String,
        to graph: inout JobGraph,
        after last: JobHandle<Int>,
        waits: Bool
    ) -> JobHandle<Int> {
        waits
            ? graph.local(name, after: last) { number async in number &+ 1 }
            : graph.local(name, after: last) { number in number &+ 1 }
    }

    /// The nodes that each node needs, by their places.
    func inputs(of node: Int) -> [Int] {
        guard node > 0 else {
            return []
        }
        switch (self, node % 3) {
        case (.chain, _): return [node - 1]
        case (.fan, _): return [0]
        case (.diamonds, 1): return [node - 1]
        case (.diamonds, 2): return [node - 2]
        case (.diamonds, _): return [node - 2, node - 1]
        }
    }
}
