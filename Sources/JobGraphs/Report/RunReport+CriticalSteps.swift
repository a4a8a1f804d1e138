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
    /// Sub-graphs and loops are followed inside, and a wait for a worker slot leads to the node that held it, wherever
    /// in the run that is. The interval of a node begins when the previous one has ended, so it includes the time that
    /// the engine took between them.
    public var criticalSteps: [CriticalStep] {
        var walk = CriticalWalk(nodes)
        var steps = walk.steps()
        let end = steps.last?.end ?? .zero
        if end < duration {
            steps.append(CriticalStep(path: [], start: end, end: duration))
        }
        return steps
    }
}
