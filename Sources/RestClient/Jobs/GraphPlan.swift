// SPDX-License-Identifier: MIT

public import JobGraphs
import RestEssentials

/// The predictable part of a run of a graph: see ``RestClientManager/plan(_:)``.
public struct GraphPlan: Sendable {
    /// The state of the cache for a node that would send a request.
    public enum CacheState: String, Sendable, Hashable {
        /// The cache would respond.
        case cached
        /// The request would be sent.
        case notCached
        /// The state is unknown before other nodes have run, or the node sends no request.
        case unknown
    }

    /// One node of the plan.
    public struct Step: Sendable, Hashable {
        /// The name of the node.
        public let name: String

        /// The kind of the node's work.
        public let kind: RunReport.Kind

        /// The nodes on which it depends.
        public let dependencies: [String]

        /// The number of nodes before this one on the longest path to it; 0 for a node that begins at once.
        public let depth: Int

        /// The state of the cache.
        public let cache: CacheState
    }

    /// The nodes, each after its dependencies, and otherwise in the order in which they were added.
    public let steps: [Step]

    /// The names of the nodes on the longest path through the graph.
    public let longestPath: [String]

    init(_ graph: JobGraph, cache: [Int: CacheState]) {
        let topology = graph.topology
        let order = topology.sorted
        var dependencies: [Int: [Int]] = [:]
        for edge in graph.edges {
            dependencies[Int(edge.to), default: []].append(Int(edge.from))
        }
        var depths = [Int](repeating: 0, count: graph.count)
        var before = [Int?](repeating: nil, count: graph.count)
        for node in order {
            for link in topology.links(from: node) where depths[Int(link.target)] <= depths[node] {
                depths[Int(link.target)] = depths[node] + 1
                before[Int(link.target)] = node
            }
        }
        steps = order.map { node in
            Step(
                name: graph.nodes[node].name,
                kind: RunReport.Kind(graph.nodes[node].kind),
                dependencies: (dependencies[node] ?? []).map { graph.nodes[$0].name },
                depth: depths[node],
                cache: cache[node] ?? .unknown
            )
        }
        // Of several deepest nodes, the first one counts.
        let deepest = order.max { (depths[$0], -$0) < (depths[$1], -$1) }
        var path: [String] = []
        var current = deepest
        while let node = current {
            path.append(graph.nodes[node].name)
            current = before[node]
        }
        longestPath = path.reversed()
    }
}

extension GraphPlan: CustomStringConvertible {
    /// A line for each node, indented by its depth, with its dependencies and the state of the cache; then the longest
    /// path.
    public var description: String {
        let lines = steps.map { step in
            let indent = String(repeating: "  ", count: min(step.depth, 20))
            let after = step.dependencies.isEmpty ? "" : " after \(step.dependencies.joined(separator: ", "))"
            let cache = step.cache == .cached ? ", cached" : ""
            return "\(indent)\(step.name) (\(step.kind.rawValue)\(cache))\(after)"
        }
        return MessageText.lines(lines + ["longest path: \(longestPath.joined(separator: " › "))"])
    }
}
