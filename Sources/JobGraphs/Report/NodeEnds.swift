// SPDX-License-Identifier: MIT

/// The ends of nodes that ran, in their order; of nodes that ended together, the one that was added first comes last.
struct NodeEnds {
    private let ends: [(place: Int, end: Duration)]

    /// Sorts the ends of nodes; those that did not run are left out.
    init(_ nodes: some Sequence<(place: Int, node: RunReport.Node)>) {
        ends =
            nodes
            .compactMap { place, node in
                node.started == nil ? nil : node.ended.map { (place, $0) }
            }
            .sorted { ($0.end, $1.place) < ($1.end, $0.place) }
    }

    /// Finds the node that ended last in an interval.
    ///
    /// - Parameters:
    ///   - start: The beginning of the interval, which is not in it.
    ///   - end: The end of the interval, which is in it.
    ///   - isMeant: Returns true for a node that counts.
    /// - Returns: The place of the node and its end; `nil` if none ended in the interval.
    func last(after start: Duration, upTo end: Duration, where isMeant: (Int) -> Bool) -> (place: Int, end: Duration)? {
        var (low, high) = (0, ends.count)
        while low < high {
            let middle = (low + high) / 2
            if ends[middle].end <= end {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return ends[..<low].reversed().prefix { $0.end > start }.first { isMeant($0.place) }
    }
}
