// SPDX-License-Identifier: MIT

/// The progress of a run.
public struct GraphProgress: Sendable, Hashable, CustomStringConvertible {
    /// The number of nodes.
    public let total: Int

    /// The number of nodes that have ended, with or without success.
    public let finished: Int

    /// The number of nodes that run, including those that wait for a worker slot or between two attempts.
    public let running: Int

    /// The part that has ended, between 0 and 1; 1 for a graph without nodes.
    public var fraction: Double { total == 0 ? 1 : Double(finished) / Double(total) }

    /// The numbers in words, as in `12 of 40 nodes, 3 running`.
    public var description: String { "\(finished) of \(total) nodes, \(running) running" }

    init(_ machine: JobGraphStateMachine) {
        total = machine.topology.count
        finished = total - machine.unsettled
        running = machine.running
    }

    /// The progress of a run from now on: first as it is, then as it changes, until every node has ended.
    ///
    /// A slow reader misses what lies between, and is never late.
    public struct Updates: AsyncSequence, Sendable {
        let engine: GraphEngine

        /// Begins to read.
        public func makeAsyncIterator() -> Iterator { Iterator(engine: engine) }

        /// Reads the progress of a run.
        public struct Iterator: AsyncIteratorProtocol {
            let engine: GraphEngine
            private var last: GraphProgress?

            init(engine: GraphEngine) {
                self.engine = engine
            }

            /// Waits for a change; `nil` when every node has ended, or when the task is cancelled.
            public mutating func next() async -> GraphProgress? {
                if let last, last.finished == last.total {
                    return nil
                }
                last = await engine.progress(after: last?.finished)
                return last
            }
        }
    }
}
