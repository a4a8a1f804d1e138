// SPDX-License-Identifier: MIT

import RestEssentials

extension GraphRun {
    /// The outcome of one node.
    public struct Node: Sendable {
        /// The name of the node.
        public let name: String

        /// The status of the node.
        public let status: RunReport.Status

        /// The result, if it has one; `run[handle]` gives it in its own type.
        public let value: (any Sendable)?

        /// The error, if it failed.
        public let error: (any Error)?

        /// The number of attempts: those that the work reports itself, and those made by a retry policy.
        public let attempts: Int

        /// The labels of the node.
        public let tags: [String]

        /// The time from the start of the run to the beginning of the node; `nil` if it did not begin.
        public let started: Duration?

        /// The time from the start of the run to the end of the node; `nil` if it did not begin.
        public let ended: Duration?

        let words: @Sendable (any Error) -> String
    }

    /// The outcome of a compensation.
    public struct CompensationResult: Sendable {
        /// The name of the compensation.
        public let name: String

        /// The node that it compensates.
        public let node: String

        /// The outcome of the compensation.
        public let outcome: JobOutcome<Void>

        let started: Duration
        let ended: Duration
        var note = JobNote.Contents()
    }

    /// The outcomes of all nodes, in the order in which they were added.
    public var nodes: [Node] {
        (0..<graph.count).map(node)
    }

    package var outcomes: [JobOutcome<any Sendable>] {
        ending.results.map(\.outcome)
    }

    /// Returns the outcome of the node with a name.
    ///
    /// - Parameter name: The name of the node.
    /// - Returns: The outcome of the node; `nil` if no node has the name.
    public func node(_ name: String) -> Node? {
        (0..<graph.count).first { graph.name(of: $0) == name }.map(node)
    }

    private func node(_ index: Int) -> Node {
        let ending = nodeEnding(index)
        return Node(
            name: graph.name(of: index),
            status: status(of: index, ending.note),
            value: self.ending.results[index].outcome.value,
            error: ending.error,
            attempts: ending.attempts,
            tags: graph.tags(of: index),
            started: ending.started,
            ended: ending.ended,
            words: words
        )
    }

    private func nodeEnding(_ index: Int) -> NodeEnding {
        NodeEnding(
            kind: graph.kind(of: index),
            error: ending.results[index].error,
            times: ending.times[index],
            note: ending.note(of: index),
            runStart: ending.start
        )
    }

    private func status(of index: Int, _ note: JobNote.Contents?) -> RunReport.Status {
        let isUndone = compensations.contains { $0.node == graph.name(of: index) && $0.outcome.isSuccess }
        return isUndone ? .compensated : RunReport.Status(ending.results[index].outcome, note)
    }

    // MARK: - Report

    /// The run as a value that can be stored, and shown as a timeline.
    public var report: RunReport {
        let dependencies = graph.edges.sources
        return RunReport(
            name: name,
            id: id.description,
            startedAt: startedAt,
            duration: duration,
            outcome: status,
            nodes: (0..<graph.count).map { reportNode($0, after: dependencies[$0] ?? []) }
                + compensationNodes
        )
    }

    private func reportNode(_ index: Int, after dependencies: [Int]) -> RunReport.Node {
        let nodeEnding = nodeEnding(index)
        return nodeEnding.report(
            graph.name(of: index),
            after: dependencies.map { graph.name(of: $0) },
            tags: graph.tags(of: index),
            status(of: index, nodeEnding.note),
            ready: dependencies.compactMap { ending.times[$0].ended }.max().map { $0 - ending.start } ?? .zero,
            words: words
        )
    }

    private var compensationNodes: [RunReport.Node] {
        func end(_ node: Int) -> (Duration, Int) { (ending.times[node].ended ?? .zero, node) }
        var before = (0..<graph.count).max { end($0) < end($1) }.map { graph.name(of: $0) }
        return compensations.map { result in
            defer { before = result.name }
            return reportNode(result, after: [result.node] + [before].compactMap(\.self).filter { $0 != result.node })
        }
    }

    private func reportNode(_ result: CompensationResult, after dependencies: [String]) -> RunReport.Node {
        var times = NodeTimes()
        times.started = ending.start + result.started
        times.ended = ending.start + result.ended
        let outcome = result.outcome.erased
        return NodeEnding(
            kind: .request,
            error: outcome.error,
            times: times,
            note: result.note,
            runStart: ending.start
        )
        .report(
            result.name,
            kind: .compensation,
            after: dependencies,
            RunReport.Status(outcome, nil),
            ready: result.started,
            words: words
        )
    }
}

extension GraphRun.Node: CustomStringConvertible {
    /// The name, the status, the time and the error, on one line and without the result.
    public var description: String {
        let time = started.flatMap { started in ended.map { " after \(ReportText.duration($0 - started))" } } ?? ""
        let attempts = attempts > 1 ? ", \(attempts) attempts" : ""
        return MessageText.of("\(name): \(status.words)\(time)\(attempts)\(error.map { ": \(words($0))" } ?? "")")
    }
}
