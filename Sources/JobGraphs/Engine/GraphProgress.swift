// SPDX-License-Identifier: MIT

/// The progress of a run.
public struct GraphProgress: Sendable, Hashable, CustomStringConvertible {
    /// The number of nodes.
    public let total: Int

    /// The number of nodes that have ended, with or without success.
    public let finished: Int

    /// The number of running nodes, including those that wait for a worker slot or between two attempts.
    public let running: Int

    /// The number of elements of all loops that have begun, those in sub-graphs included; that of a listing grows with
    /// each page.
    public let elements: Int

    /// The number of elements that have ended, with or without success.
    public let finishedElements: Int

    private let shares: Double

    /// The fraction of nodes that have ended, between 0 and 1; 1 for a graph without nodes.
    ///
    /// Of a running loop, the ended elements count, once the number of its elements is known.
    public var fraction: Double {
        finished == total ? 1 : min((Double(finished) + shares) / Double(total), 1)
    }

    /// The progress in words, as in `12 of 40 nodes, 3 running, 310 of 1000 elements`.
    public var description: String {
        let nodes = "\(finished) of \(total) nodes, \(running) running"
        return elements == 0 ? nodes : "\(nodes), \(finishedElements) of \(elements) elements"
    }

    init(_ machine: JobGraphStateMachine, _ counts: ElementCounts) {
        total = machine.topology.count
        finished = total - machine.unsettled
        running = machine.running
        elements = counts.total
        finishedElements = counts.finished
        shares = counts.shares
    }

    /// Returns true if the numbers of nodes and elements, and of those that have ended, are those of another progress.
    func counts(like other: GraphProgress?) -> Bool {
        guard let other else {
            return false
        }
        return finished == other.finished && finishedElements == other.finishedElements && elements == other.elements
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
                last = await engine.progress(after: last)
                return last
            }
        }
    }
}

/// Counts the elements of loops: a pure value, without locks.
struct ElementCounts: Sendable {
    private struct Loop {
        var total = 0
        var finished = 0
        /// A Boolean value that is true if no more elements are added.
        var isComplete = false
    }

    private(set) var total = 0
    private(set) var finished = 0
    /// The running loops of the graph itself.
    private var loops: [Int: Loop] = [:]

    /// The sum of the ended fractions of running loops.
    var shares: Double {
        loops.values.reduce(0) { sum, loop in
            loop.isComplete && loop.total > 0 ? sum + Double(loop.finished) / Double(loop.total) : sum
        }
    }

    mutating func add(_ count: Int, of loop: Int, isLast: Bool) {
        loops[loop, default: Loop()].total += count
        loops[loop]?.isComplete = isLast
        add(count)
    }

    mutating func end(of loop: Int) {
        loops[loop]?.finished += 1
        end()
    }

    /// Forgets a loop whose node has ended.
    mutating func settle(_ loop: Int) {
        if !loops.isEmpty {
            loops[loop] = nil
        }
    }

    /// Adds elements of a loop in a graph inside.
    mutating func add(_ count: Int) {
        total += count
    }

    mutating func end() {
        finished += 1
    }
}
