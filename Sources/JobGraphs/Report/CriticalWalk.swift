// SPDX-License-Identifier: MIT

/// Goes back from the end of a run to its beginning, from each leaf of the tree of nodes to the one that it waited for.
///
/// A leaf that waited for a worker slot leads to the leaf whose attempt held one until then; any other to the element
/// that its loop waited for, to the dependency that ended last, or to what the node around it waited for.
struct CriticalWalk {
    private typealias End = NodeEnds.End

    private struct Entry {
        let node: RunReport.Node
        let parent: Int?
        let children: Range<Int>

        var holdsSlot: Bool { children.isEmpty && node.takesSlot && node.started != nil }
    }

    private let entries: [Entry]
    /// The places of a container's nodes by their names; `nil` stands for the outermost one.
    private var placesOfNames: [Int?: [String: Int]] = [:]
    private let slotEnds: NodeEnds
    /// The ends of a container's nodes, sorted when one of them is asked for.
    private var endsInside: [Int?: NodeEnds] = [:]
    private let outermost: Range<Int>

    /// Prepares the walk; unless it is deep, it looks at these nodes only, and not at those inside of them.
    init(_ nodes: [RunReport.Node], isDeep: Bool = true) {
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
                let count = isDeep ? node.children.count : 0
                entries.append(Entry(node: node, parent: parent, children: first..<first + count))
                first += count
                if placesOfNames[parent, default: [:]][node.name] == nil {
                    placesOfNames[parent, default: [:]][node.name] = place
                }
                if count > 0 {
                    pending.append((node.children, place))
                }
            }
        }
        self.entries = entries
        slotEnds = NodeEnds(
            entries.indices.lazy
                .filter { entries[$0].holdsSlot }
                .flatMap { place in entries[place].node.releases.map { End(place: place, time: $0) } }
        )
    }

    mutating func steps() -> [RunReport.CriticalStep] {
        intervals()
            .reversed()
            .filter { $0.start < $0.end }
            .map { RunReport.CriticalStep(path: path(of: $0.place), start: $0.start, end: $0.end) }
    }

    /// Returns the intervals of the nodes on the path, the last one first; some have no length.
    mutating func intervals() -> [(place: Int, start: Duration, end: Duration)] {
        var intervals: [(place: Int, start: Duration, end: Duration)] = []
        var visited: Set<End> = []
        var current = last(of: outermost)
        var time = current?.time ?? .zero
        while let end = current, visited.insert(end).inserted {
            // The end of a container is that of its last node, and of nothing else.
            current = last(of: entries[end.place].children)
            if current == nil {
                current = predecessor(of: end).flatMap { visited.contains($0) ? nil : $0 }
            }
            let start = min(time, current?.time ?? .zero)
            intervals.append((end.place, start, time))
            time = start
        }
        return intervals
    }

    /// Returns the end that a leaf waited for before the given one; `nil` if it waited for none.
    private mutating func predecessor(of end: End) -> End? {
        for wait in entries[end.place].node.furtherWaits.reversed() where wait.end <= end.time {
            if let holder = slotEnds.last(after: wait.start, upTo: wait.end, where: { $0 != end.place }) {
                return holder
            }
        }
        var place = end.place
        while true {
            let node = entries[place].node
            let dependency = dependency(of: place)
            let ready = dependency?.time ?? node.queued ?? .zero
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

    private func dependency(of place: Int) -> End? {
        let places = placesOfNames[entries[place].parent] ?? [:]
        return last(of: entries[place].node.dependencies.compactMap { places[$0] }.sorted())
    }

    /// Returns the node that another one waited for until it began: for a slot, any leaf of the run; for an element,
    /// which may have waited for its turn, the later one of that leaf and its neighbour, which wins a tie.
    private mutating func holder(before place: Int, from ready: Duration, to begun: Duration) -> End? {
        let leaf = slotEnds.last(after: ready, upTo: begun) { $0 != place }
        guard !entries[place].node.waitedForSlot,
            let neighbour = ends(in: entries[place].parent).last(after: ready, upTo: begun, where: { $0 != place })
        else {
            return leaf
        }
        return leaf.map { $0.time > neighbour.time ? $0 : neighbour } ?? neighbour
    }

    private mutating func ends(in container: Int?) -> NodeEnds {
        if let known = endsInside[container] {
            return known
        }
        let places = container.map { entries[$0].children } ?? outermost
        let ends = NodeEnds(places.lazy.compactMap { [entries] in Self.end(of: entries[$0].node, at: $0) })
        endsInside[container] = ends
        return ends
    }

    private func last(of places: some Sequence<Int>) -> End? {
        places.compactMap { Self.end(of: entries[$0].node, at: $0) }.max { $0.time < $1.time }
    }

    private static func end(of node: RunReport.Node, at place: Int) -> End? {
        node.started == nil ? nil : node.ended.map { End(place: place, time: $0) }
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

/// The ends of nodes that ran, in their order; of nodes that ended together, the one that was added first comes last.
struct NodeEnds {
    struct End: Hashable {
        let place: Int
        let time: Duration
    }

    private let ends: [End]

    init(_ ends: some Sequence<End>) {
        self.ends = ends.sorted { ($0.time, $1.place) < ($1.time, $0.place) }
    }

    /// Finds the end that came last after `start`, up to and including `end`.
    func last(after start: Duration, upTo end: Duration, where isMeant: (Int) -> Bool) -> End? {
        var (low, high) = (0, ends.count)
        while low < high {
            let middle = (low + high) / 2
            if ends[middle].time <= end {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return ends[..<low].last { isMeant($0.place) }.flatMap { $0.time > start ? $0 : nil }
    }
}
