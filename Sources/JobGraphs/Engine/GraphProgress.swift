// SPDX-License-Identifier: MIT

/// The progress of a run.
public struct GraphProgress: Sendable, Hashable, CustomStringConvertible {
    /// The number of nodes.
    public let total: Int

    /// The number of nodes that have ended, with or without success.
    public let finished: Int

    /// The number of running nodes, including those that wait for a worker slot or between two attempts.
    public let running: Int

    /// The fraction of nodes that have ended, between 0 and 1; 1 for a graph without nodes.
    public var fraction: Double { total == 0 ? 1 : Double(finished) / Double(total) }

    /// The progress in words, as in `12 of 40 nodes, 3 running`.
    public var description: String { "\(finished) of \(total) nodes, \(running) running" }

    init(_ machine: JobGraphStateMachine) {
        total = machine.topology.count
        finished = total - machine.unsettled
        running = machine.running
    }

    struct Updates: AsyncSequence, Sendable {
        let engine: GraphEngine

        func makeAsyncIterator() -> Iterator { Iterator(engine: engine) }

        struct Iterator: AsyncIteratorProtocol {
            let engine: GraphEngine
            private var last: GraphProgress?

            init(engine: GraphEngine) {
                self.engine = engine
            }

            mutating func next() async -> GraphProgress? {
                if let last, last.finished == last.total {
                    return nil
                }
                last = await engine.progress(after: last?.finished)
                return last
            }
        }
    }
}
