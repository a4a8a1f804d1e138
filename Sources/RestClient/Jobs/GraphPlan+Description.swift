// SPDX-License-Identifier: MIT

import JobGraphs
import RestEssentials

extension GraphPlan: CustomStringConvertible {
    /// A line for each node, indented by its depth, with its dependencies and the state of the cache; then the longest
    /// path.
    public var description: String {
        let lines = steps.map { step in
            let indent = String(repeating: "  ", count: min(step.depth, 20))
            let after = step.dependencies.isEmpty ? "" : " after \(step.dependencies.joined(separator: ", "))"
            let cache = step.cache == .cached ? ", cached" : ""
            return "\(indent)\(step.name) (\(step.kind.rawValue)\(cache))\(after)"
        }
        return MessageText.lines(lines + ["longest path: \(longestPath.joined(separator: " › "))"])
    }
}
