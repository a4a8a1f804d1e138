// SPDX-License-Identifier: MIT

/// The ends of nodes that ran, in their order; of nodes that ended together, the one that was added first comes last.
struct NodeEnds {
    /// An end of a node, or of one of its attempts.
    struct End: Hashable {
        let place: Int
        let time: Duration
    }

    private let ends: [End]

    /// Sorts ends.
    init(_ ends: some Sequence<End>) {
        self.ends = ends.sorted { ($0.time, $1.place) < ($1.time, $0.place) }
    }

    /// Finds the end that came last in an interval.
    ///
    /// - Parameters:
    ///   - start: The beginning of the interval, which is not in it.
    ///   - end: The end of the interval, which is in it.
    ///   - isMeant: Returns true for a node that counts.
    /// - Returns: The end; `nil` if there is none in the interval.
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
