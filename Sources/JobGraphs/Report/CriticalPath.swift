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
        let ends = Ends(of: nodes)
        var path: [Int] = []
        var visited: Set<Int> = []
        var current = last(of: nodes.indices, in: nodes)
        while let place = current, visited.insert(place).inserted {
            path.append(place)
            let before = nodes[place].dependencies.lazy.compactMap { placeOfName[$0] }
            let dependency = last(of: before.sorted(), in: nodes)
            let ready = dependency.flatMap { nodes[$0].ended } ?? nodes[place].queued ?? .zero
            current = ends.holder(of: place, since: ready, in: nodes) ?? dependency
        }
        return path.reversed()
    }

    /// The nodes that ran, sorted by their ends.
    private struct Ends {
        private let places: [(place: Int, end: Duration)]

        init(of nodes: [RunReport.Node]) {
            places = nodes.indices
                .compactMap { place in
                    nodes[place].started == nil ? nil : nodes[place].ended.map { (place, $0) }
                }
                .sorted { ($0.end, $1.place) < ($1.end, $0.place) }
        }

        /// Returns the node that held the resource for which another one waited; `nil` if that one did not wait.
        func holder(of place: Int, since ready: Duration, in nodes: [RunReport.Node]) -> Int? {
            guard let begun = nodes[place].begun, begun > ready else {
                return nil
            }
            // The last of the nodes that ended before the other one began.
            var (low, high) = (0, places.count)
            while low < high {
                let middle = (low + high) / 2
                if places[middle].end <= begun {
                    low = middle + 1
                } else {
                    high = middle
                }
            }
            let waitedForSlot = nodes[place].waitedForSlot
            return places[..<low].reversed().prefix { $0.end > ready }
                .first { $0.place != place && (!waitedForSlot || nodes[$0.place].takesSlot) }?
                .place
        }
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

    /// The time at which the node obtained the resource that it was waiting for; `nil` if it did not wait.
    var begun: Duration? {
        if let first = spans.first, first.phase == .queued {
            return first.end
        }
        // An element of a loop is ready together with the others, and begins when its turn comes.
        guard dependencies.isEmpty, let queued, let started, queued < started else {
            return nil
        }
        return started
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
