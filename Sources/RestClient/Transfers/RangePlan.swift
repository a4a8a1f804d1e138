// SPDX-License-Identifier: MIT

/// Divides what is missing of a file into ranges that are loaded side by side: pure.
enum RangePlan {
    /// Returns ranges that cover the gaps, in order.
    ///
    /// Large gaps are halved until there are as many ranges as connections; no half is smaller than the minimum. There
    /// may be more ranges than connections, if there are more gaps.
    static func ranges(covering gaps: [Range<Int64>], connections: Int, minimum: Int64) -> [Range<Int64>] {
        var ranges = gaps.filter { !$0.isEmpty }
        let minimum = max(1, minimum)
        while ranges.count < connections,
            let largest = ranges.indices.max(by: { ranges[$0].length < ranges[$1].length }),
            ranges[largest].length / 2 >= minimum
        {
            let range = ranges[largest]
            let middle = range.lowerBound + range.length / 2
            ranges.replaceSubrange(largest...largest, with: [range.lowerBound..<middle, middle..<range.upperBound])
        }
        return ranges
    }
}
