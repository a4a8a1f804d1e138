// SPDX-License-Identifier: MIT

/// The edges of a graph in flat arrays: the edges from node `n` are `links[starts[n]..<starts[n + 1]]`.
package struct JobTopology: Sendable {
    package struct Link: Sendable, Equatable {
        package let target: Int32
        let need: JobEdge.Need
    }

    let count: Int
    let starts: [Int32]
    let links: [Link]
    let inDegrees: [Int32]
    let hasConditions: Bool

    init(count: Int, edges: [JobEdge] = []) {
        var starts = [Int32](repeating: 0, count: count + 1)
        var inDegrees = [Int32](repeating: 0, count: count)
        for edge in edges {
            starts[Int(edge.from) + 1] += 1
            inDegrees[Int(edge.to)] += 1
        }
        for index in 0..<count {
            starts[index + 1] += starts[index]
        }
        var links = [Link](repeating: Link(target: 0, need: .value), count: edges.count)
        var next = starts
        for edge in edges {
            links[Int(next[Int(edge.from)])] = Link(target: edge.to, need: edge.need)
            next[Int(edge.from)] += 1
        }
        self.count = count
        self.starts = starts
        self.links = links
        self.inDegrees = inDegrees
        hasConditions = edges.contains { $0.need == .truth || $0.need == .falsehood }
    }

    package func links(from node: Int) -> ArraySlice<Link> {
        links[Int(starts[node])..<Int(starts[node + 1])]
    }

    /// Returns a node and all nodes that depend on it, in breadth-first order.
    func branch(from root: Int) -> [Int] {
        var branch = [root]
        var isSeen = Set(branch)
        var place = 0
        while place < branch.count {
            for link in links(from: branch[place]) where isSeen.insert(Int(link.target)).inserted {
                branch.append(Int(link.target))
            }
            place += 1
        }
        return branch
    }

    /// The nodes in topological order; nodes on cycles, and nodes that depend on them, are missing.
    package var sorted: [Int] {
        var remaining = inDegrees
        var order = (0..<count).filter { inDegrees[$0] == 0 }
        order.reserveCapacity(count)
        var place = 0
        while place < order.count {
            for link in links(from: order[place]) {
                remaining[Int(link.target)] -= 1
                if remaining[Int(link.target)] == 0 {
                    order.append(Int(link.target))
                }
            }
            place += 1
        }
        return order
    }

    /// The nodes of one cycle, in order, beginning with the one that was added first; `nil` if there is none.
    var cycle: [Int]? {
        let order = sorted
        guard order.count < count else {
            return nil
        }
        // Kahn's algorithm leaves only nodes on or behind a cycle, so walking against the edges must reach one twice.
        var isLeft = [Bool](repeating: true, count: count)
        for node in order {
            isLeft[node] = false
        }
        var predecessor = [Int](repeating: -1, count: count)
        for node in 0..<count where isLeft[node] {
            for link in links(from: node) where isLeft[Int(link.target)] {
                predecessor[Int(link.target)] = node
            }
        }
        guard var node = isLeft.firstIndex(of: true) else {
            return nil
        }
        var seen = [Bool](repeating: false, count: count)
        while !seen[node] {
            seen[node] = true
            node = predecessor[node]
        }
        var cycle = [node]
        var current = predecessor[node]
        while current != node {
            cycle.append(current)
            current = predecessor[current]
        }
        cycle.reverse()
        let first = cycle.indices.min { cycle[$0] < cycle[$1] } ?? 0
        return Array(cycle[first...] + cycle[..<first])
    }
}
