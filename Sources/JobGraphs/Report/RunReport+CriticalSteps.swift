// SPDX-License-Identifier: MIT

extension RunReport {
    /// An interval of a run, and the node that the run was waiting for during it.
    public struct CriticalStep: Sendable, Hashable {
        /// The names of the enclosing nodes and of the node itself, outermost first; empty for time that no node
        /// explains.
        public var path: [String]

        /// The start of the interval.
        public var start: Duration

        /// The end of the interval.
        public var end: Duration

        /// The duration of the interval.
        public var duration: Duration { end - start }
    }

    /// The run as consecutive intervals, each with the node that the run was waiting for; their durations add up to
    /// that of the run.
    ///
    /// Sub-graphs and loops are followed inside. The interval of a node begins when the previous node on the path has
    /// ended, so it includes the time that the engine took between them.
    public var criticalSteps: [CriticalStep] {
        var steps: [CriticalStep] = []
        let end = Self.append(nodes, [], from: .zero, to: &steps)
        if end < duration {
            steps.append(CriticalStep(path: [], start: end, end: duration))
        }
        return steps
    }

    /// Appends the steps of the nodes in a container; returns the time at which the last of them ended.
    private static func append(
        _ nodes: [Node],
        _ path: [String],
        from start: Duration,
        to steps: inout [CriticalStep]
    ) -> Duration {
        var start = start
        for place in CriticalPath.places(in: nodes) {
            let node = nodes[place]
            guard let end = node.ended, end > start else {
                continue
            }
            let own = path + [node.name]
            let inner = append(node.children, own, from: start, to: &steps)
            if inner < end {
                steps.append(CriticalStep(path: own, start: inner, end: end))
            }
            start = max(inner, end)
        }
        return start
    }
}
