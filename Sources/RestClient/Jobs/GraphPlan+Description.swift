// SPDX-License-Identifier: MIT

import JobGraphs

extension GraphPlan: CustomStringConvertible {
    /// A line for each node, farther in the more nodes lie before it, with what it waits for and what the cache says;
    /// then the longest path.
    public var description: String {
        let lines = steps.map { step in
            let indent = String(repeating: "  ", count: min(step.depth, 20))
            let after = step.dependencies.isEmpty ? "" : " after \(step.dependencies.joined(separator: ", "))"
            let cache = step.cache == .cached ? ", cached" : ""
            return "\(indent)\(step.name) (\(step.kind.rawValue)\(cache))\(after)"
        }
        return (lines + ["longest path: \(longestPath.joined(separator: " › "))"]).joined(separator: "\n")
    }
}
