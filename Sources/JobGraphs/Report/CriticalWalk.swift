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
    private var entries: [Entry] = []
    /// The places of a container's nodes by their names; `nil` stands for the outermost one.
    private var placesOfNames: [Int?: [String: Int]] = [:]
    /// The leaves that took a slot, sorted by their ends.
    private var slotEnds: [(place: Int, end: Duration)] = []
    private let outermost: Range<Int>

    init(_ nodes: [RunReport.Node]) {
        outermost = nodes.indices
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
        slotEnds = entries.indices
            .compactMap { place in
                let node = entries[place].node
                guard node.children.isEmpty, node.takesSlot, node.started != nil else {
                    return nil
                }
                return node.ended.map { (place, $0) }
            }
            .sorted { ($0.end, $1.place) < ($1.end, $0.place) }
    }

    /// Returns the intervals from the beginning to the end of the last node, in order.
    func steps() -> [RunReport.CriticalStep] {
        var steps: [RunReport.CriticalStep] = []
        var visited: Set<Int> = []
        var current = last(of: outermost)
        var time = current.flatMap { entries[$0].node.ended } ?? .zero
        func add(_ place: Int, from start: Duration) {
            if start < time {
                steps.append(RunReport.CriticalStep(path: path(of: place), start: start, end: time))
                time = start
            }
        }
        while let place = current, visited.insert(place).inserted {
            // The end of a container is that of its last node, and of nothing else.
            if let inner = last(of: entries[place].children) {
                add(place, from: entries[inner].node.ended ?? time)
                current = inner
                continue
            }
            current = predecessor(of: place).flatMap { visited.contains($0) ? nil : $0 }
            add(place, from: current.flatMap { entries[$0].node.ended } ?? .zero)
        }
        return steps.reversed()
    }

    /// Returns the node whose end a leaf waited for; `nil` if it waited for none.
    private func predecessor(of leaf: Int) -> Int? {
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

    /// Returns the node that another one waited for until it began: an element does not say whether it waited for its
    /// turn or for a slot, so that which ended later counts.
    private func holder(before place: Int, from ready: Duration, to begun: Duration) -> Int? {
        let slotHolder = slotHolder(of: place, from: ready, to: begun)
        guard !entries[place].node.waitedForSlot,
            let neighbour = neighbour(of: place, from: ready, to: begun)
        else {
            return slotHolder
        }
        guard let slotHolder, let end = entries[slotHolder].node.ended, let turn = entries[neighbour].node.ended else {
            return neighbour
        }
        return end > turn ? slotHolder : neighbour
    }

    /// Returns the leaf anywhere in the run that gave back the slot for which another one waited.
    private func slotHolder(of place: Int, from ready: Duration, to begun: Duration) -> Int? {
        // The last of the leaves that ended before the other one began.
        var (low, high) = (0, slotEnds.count)
        while low < high {
            let middle = (low + high) / 2
            if slotEnds[middle].end <= begun {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return slotEnds[..<low].reversed().prefix { $0.end > ready }.first { $0.place != place }?.place
    }

    /// Returns the node of the same container that ended when another one's turn came.
    private func neighbour(of place: Int, from ready: Duration, to begun: Duration) -> Int? {
        let siblings = entries[place].parent.map { entries[$0].children } ?? outermost
        return last(of: siblings) { sibling, end in sibling != place && end > ready && end <= begun }
    }

    private func last(
        of places: some Sequence<Int>,
        where isMeant: (Int, Duration) -> Bool = { _, _ in true }
    ) -> Int? {
        var last: (place: Int, end: Duration)?
        for place in places {
            let node = entries[place].node
            if let end = node.ended, node.started != nil, isMeant(place, end), last.map({ $0.end < end }) ?? true {
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
