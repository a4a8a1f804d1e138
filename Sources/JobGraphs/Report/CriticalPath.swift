// SPDX-License-Identifier: MIT

/// Finds the critical path of a run: the chain of nodes that determines its duration.
///
/// It begins with the node that ended last and goes back. From a node that had to wait for a worker slot, for a mutex
/// key or for its turn in a loop, it goes to the node that ended when the wait did, because that node held the
/// resource. From any other node it goes to the dependency that ended last.
package enum CriticalPath {
    /// Returns the places of the nodes on the path, in the order in which they ran.
    ///
    /// Of nodes that ended together, the one that was added first counts. A name without a node ends the path, and so
    /// does a cycle, which no run can have but a report from elsewhere may.
    package static func places(in nodes: [RunReport.Node]) -> [Int] {
        var placeOfName: [String: Int] = [:]
        placeOfName.reserveCapacity(nodes.count)
        for (place, node) in nodes.enumerated() where placeOfName[node.name] == nil {
            placeOfName[node.name] = place
        }
        let ends = NodeEnds(nodes.indices.lazy.map { ($0, nodes[$0]) })
        var path: [Int] = []
        var visited: Set<Int> = []
        var current = last(of: nodes.indices, in: nodes)
        while let place = current, visited.insert(place).inserted {
            path.append(place)
            let before = nodes[place].dependencies.lazy.compactMap { placeOfName[$0] }
            let dependency = last(of: before.sorted(), in: nodes)
            let ready = dependency.flatMap { nodes[$0].ended } ?? nodes[place].queued ?? .zero
            current = holder(of: place, since: ready, ends, in: nodes) ?? dependency
        }
        return path.reversed()
    }

    /// Returns the node that held the resource for which another one waited; `nil` if that one did not wait.
    private static func holder(
        of place: Int,
        since ready: Duration,
        _ ends: NodeEnds,
        in nodes: [RunReport.Node]
    ) -> Int? {
        guard let begun = nodes[place].begun else {
            return nil
        }
        let waitedForSlot = nodes[place].waitedForSlot
        return ends.last(after: ready, upTo: begun) { $0 != place && (!waitedForSlot || nodes[$0].takesSlot) }?.place
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

extension RunReport.Node {
    /// A Boolean value that is false if the node got its result without a worker slot.
    var takesSlot: Bool { status != .fromCache && status != .resumed }

    /// A Boolean value that is true if the node began with a wait for a worker slot.
    var waitedForSlot: Bool { spans.first?.phase == .queued }

    /// The time at which the node obtained the resource for which it may have waited; `nil` if it waited for none.
    var begun: Duration? {
        if let first = spans.first, first.phase == .queued {
            return first.end
        }
        // An element of a loop is ready together with the others, and begins when its turn comes.
        return dependencies.isEmpty && queued != nil ? started : nil
    }
}

extension RunReport {
    /// The nodes that determined the duration of the run, in the order in which they ran.
    ///
    /// Making any other node faster does not shorten the run. The path begins with a node that waited for nothing and
    /// ends with the node that ended last.
    public var criticalPath: [Node] {
        CriticalPath.places(in: nodes).map { nodes[$0] }
    }
}

extension RunReport.Node {
    /// The inner nodes that determined the duration of this one, in the order in which they ran.
    public var criticalPath: [RunReport.Node] {
        CriticalPath.places(in: children).map { children[$0] }
    }
}
