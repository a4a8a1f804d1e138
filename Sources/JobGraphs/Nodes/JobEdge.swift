// SPDX-License-Identifier: MIT

package struct JobEdge: Sendable {
    enum Need: UInt8, Sendable {
        case value
        case success
        /// Its end, with or without success.
        case end
        case truth
        case falsehood
    }

    package let from: Int32
    package let to: Int32
    let need: Need
}

extension [JobEdge] {
    /// The nodes that each node waits for, in the order of the edges.
    var sources: [Int: [Int]] {
        Dictionary(grouping: self) { Int($0.to) }.mapValues { $0.map { Int($0.from) } }
    }
}

package enum JobKind: Sendable {
    case input, request, pages, local, job, graph, forEach, poll, condition, fallback
}
