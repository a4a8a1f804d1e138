// SPDX-License-Identifier: MIT

extension RunReport {
    /// A stretch of a run's time, and the node that the run was waiting for then.
    public struct CriticalStep: Sendable, Hashable {
        /// The names of the node and of those around it, the outermost first; empty for time that no node explains.
        public var path: [String]

        /// The beginning of the stretch.
        public var start: Duration

        /// The end of the stretch.
        public var end: Duration

        /// The duration of the stretch.
        public var duration: Duration { end - start }
    }

    /// The whole time of the run as stretches, each with the node that the run was waiting for; together they last as
    /// long as the run.
    ///
    /// Graphs and loops are followed inside. The stretch of a node begins when the one before it on the path has ended,
    /// so it includes what the engine took in between.
    public var criticalSteps: [CriticalStep] {
        var steps: [CriticalStep] = []
        let end = Self.append(nodes, [], from: .zero, to: &steps)
        if end < duration {
            steps.append(CriticalStep(path: [], start: end, end: duration))
        }
        return steps
    }

    /// Appends the steps of the nodes in a container; returns when the last of them ended.
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
