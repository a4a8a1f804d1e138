// SPDX-License-Identifier: MIT

/// Finds the chain of nodes that a run waited for to the end: making any other node faster makes no run shorter.
///
/// It begins with the node that ended last and goes back, from each node to the one that it waited for longest. What a
/// node waited for besides nodes, like a worker slot, counts as its own time.
package enum CriticalPath {
    /// The places of the nodes on the path, in the order in which they ran.
    ///
    /// Of nodes that ended together the one that was added first counts. Names that no node has, and circles, which a
    /// run cannot have but a report from elsewhere may, end the path.
    package static func places(in nodes: [RunReport.Node]) -> [Int] {
        var placeOfName: [String: Int] = [:]
        placeOfName.reserveCapacity(nodes.count)
        for (place, node) in nodes.enumerated() where placeOfName[node.name] == nil {
            placeOfName[node.name] = place
        }
        var path: [Int] = []
        var visited: Set<Int> = []
        var current = last(of: nodes.indices, in: nodes)
        while let place = current, visited.insert(place).inserted {
            path.append(place)
            let before = nodes[place].dependencies.lazy.compactMap { placeOfName[$0] }
            current = last(of: before.sorted(), in: nodes)
        }
        return path.reversed()
    }

    private static func last(of places: some Sequence<Int>, in nodes: [RunReport.Node]) -> Int? {
        var last: (place: Int, end: Duration)?
        for place in places {
            if let end = nodes[place].ended, nodes[place].started != nil, last.map({ $0.end < end }) ?? true {
                last = (place, end)
            }
        }
        return last?.place
    }
}

extension RunReport {
    /// The nodes that the run waited for to the end, in the order in which they ran.
    ///
    /// Making any other node faster makes the run no shorter. The path begins where nothing was waited for and ends
    /// with the node that ended last.
    public var criticalPath: [Node] {
        CriticalPath.places(in: nodes).map { nodes[$0] }
    }
}

extension RunReport.Node {
    /// The nodes inside that this one waited for to the end, in the order in which they ran.
    public var criticalPath: [RunReport.Node] {
        CriticalPath.places(in: children).map { children[$0] }
    }
}
