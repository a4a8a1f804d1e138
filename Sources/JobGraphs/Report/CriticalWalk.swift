// SPDX-License-Identifier: MIT

/// Goes back from the end of a run to its beginning, from each leaf of the tree of nodes to the one that it waited for,
/// wherever in the tree that is.
///
/// A leaf that waited for a worker slot leads to the leaf that held one until then. Otherwise it leads to the element
/// that its loop waited for, to the dependency that ended last, or to what the node around it waited for.
struct CriticalWalk {
    private struct Entry {
        let node: RunReport.Node
        let parent: Int?
        let children: Range<Int>
    }

    /// The nodes, those of one container beside each other.
    private let entries: [Entry]
    /// The places of a container's nodes by their names; `nil` stands for the outermost one.
    private var placesOfNames: [Int?: [String: Int]] = [:]
    /// The ends of the leaves that took a slot.
    private let slotEnds: NodeEnds
    /// The ends of a container's nodes, sorted when one of them is asked for.
    private var endsInside: [Int?: NodeEnds] = [:]
    private let outermost: Range<Int>

    init(_ nodes: [RunReport.Node]) {
        outermost = nodes.indices
        var entries: [Entry] = []
        var pending: [(nodes: [RunReport.Node], parent: Int?)] = [(nodes, nil)]
        var next = 0
        var first = nodes.count
        while next < pending.count {
            let (nodes, parent) = pending[next]
            next += 1
            for node in nodes {
                let place = entries.count
                entries.append(Entry(node: node, parent: parent, children: first..<first + node.children.count))
                first += node.children.count
                if placesOfNames[parent, default: [:]][node.name] == nil {
                    placesOfNames[parent, default: [:]][node.name] = place
                }
                if !node.children.isEmpty {
                    pending.append((node.children, place))
                }
            }
        }
        self.entries = entries
        slotEnds = NodeEnds(
            entries.indices.lazy.map { ($0, entries[$0].node) }.filter { $1.children.isEmpty && $1.takesSlot }
        )
    }

    /// Returns the intervals from the beginning to the end of the last node, in order.
    mutating func steps() -> [RunReport.CriticalStep] {
        var steps: [RunReport.CriticalStep] = []
        var visited: Set<Int> = []
        var current = last(of: outermost)
        var time = current.flatMap { entries[$0].node.ended } ?? .zero
        while let place = current, visited.insert(place).inserted {
            // The end of a container is that of its last node, and of nothing else.
            current = last(of: entries[place].children)
            if current == nil {
                current = predecessor(of: place).flatMap { visited.contains($0) ? nil : $0 }
            }
            let start = current.flatMap { entries[$0].node.ended } ?? .zero
            if start < time {
                steps.append(RunReport.CriticalStep(path: path(of: place), start: start, end: time))
                time = start
            }
        }
        return steps.reversed()
    }

    /// Returns the node whose end a leaf waited for; `nil` if it waited for none.
    private mutating func predecessor(of leaf: Int) -> Int? {
        var place = leaf
        while true {
            let node = entries[place].node
            let dependency = dependency(of: place)
            let ready = dependency.flatMap { entries[$0].node.ended } ?? node.queued ?? .zero
            if let begun = node.begun, begun > ready, let holder = holder(before: place, from: ready, to: begun) {
                return holder
            }
            if let dependency {
                return dependency
            }
            guard let parent = entries[place].parent else {
                return nil
            }
            place = parent
        }
    }

    private func dependency(of place: Int) -> Int? {
        let places = placesOfNames[entries[place].parent] ?? [:]
        return last(of: entries[place].node.dependencies.compactMap { places[$0] }.sorted())
    }

    /// Returns the node that another one waited for until it began.
    ///
    /// A node that waited for a slot waited for a leaf anywhere in the run. An element does not say whether it waited
    /// for a slot or for its turn: the leaf counts that ended later, and of two that ended together that of its loop.
    private mutating func holder(before place: Int, from ready: Duration, to begun: Duration) -> Int? {
        let leaf = slotEnds.last(after: ready, upTo: begun) { $0 != place }
        guard !entries[place].node.waitedForSlot,
            let neighbour = ends(in: entries[place].parent).last(after: ready, upTo: begun, where: { $0 != place })
        else {
            return leaf?.place
        }
        return leaf.map { $0.end > neighbour.end ? $0.place : neighbour.place } ?? neighbour.place
    }

    private mutating func ends(in container: Int?) -> NodeEnds {
        if let known = endsInside[container] {
            return known
        }
        let places = container.map { entries[$0].children } ?? outermost
        let ends = NodeEnds(places.lazy.map { [entries] in ($0, entries[$0].node) })
        endsInside[container] = ends
        return ends
    }

    private func last(of places: some Sequence<Int>) -> Int? {
        var last: (place: Int, end: Duration)?
        for place in places {
            let node = entries[place].node
            if let end = node.ended, node.started != nil, last.map({ $0.end < end }) ?? true {
                last = (place, end)
            }
        }
        return last?.place
    }

    /// The names of the enclosing nodes and of the node itself, outermost first.
    private func path(of place: Int) -> [String] {
        var names: [String] = []
        var current: Int? = place
        while let place = current {
            names.append(entries[place].node.name)
            current = entries[place].parent
        }
        return names.reversed()
    }
}
