// SPDX-License-Identifier: MIT

extension RunReport {
    /// The report of one node of a run.
    public struct Node: Sendable, Hashable {
        /// The name, unique in its graph.
        public var name: String

        /// The label of an element of a loop, which the graph gives it; `nil` for any other node.
        public var label: String?

        /// The kind of the node's work.
        public var kind: Kind

        /// The names of the nodes of the same graph that had to end before this one began.
        public var dependencies: [String]

        /// The tags that the node was given.
        public var tags: [String]

        /// The status of the node.
        public var status: Status

        /// The number of attempts; zero when the work did not begin.
        public var attempts: Int

        /// A description of the error, with secrets masked; `nil` if the node had none.
        public var error: String?

        /// A description of the work, with secrets masked, as in `compile main.swift`.
        public var detail: String?

        /// The source of the result; `nil` when the work has none.
        public var source: Source?

        /// The time at which the last input of the node was ready; `nil` if it never was.
        public var queued: Duration?

        /// The time at which the node began its work; `nil` if it did not begin.
        public var started: Duration?

        /// The time at which the node ended; `nil` if it did not begin.
        public var ended: Duration?

        /// The phases on which the time was spent, in order.
        public var spans: [Span]

        /// The inner nodes: those of a sub-graph, or one for each element of a loop.
        public var children: [Node]

        package init(
            name: String,
            label: String? = nil,
            kind: Kind,
            dependencies: [String] = [],
            tags: [String] = [],
            status: Status,
            attempts: Int = 0,
            error: String? = nil,
            detail: String? = nil,
            source: Source? = nil,
            queued: Duration? = nil,
            started: Duration? = nil,
            ended: Duration? = nil,
            spans: [Span] = [],
            children: [Node] = []
        ) {
            self.name = name
            self.label = label
            self.kind = kind
            self.dependencies = dependencies
            self.tags = tags
            self.status = status
            self.attempts = attempts
            self.error = error
            self.detail = detail
            self.source = source
            self.queued = queued
            self.started = started
            self.ended = ended
            self.spans = spans
            self.children = children
        }

        /// The time from the beginning of the work to its end; `nil` when the node did not run.
        public var duration: Duration? {
            guard let started, let ended else {
                return nil
            }
            return ended - started
        }
    }
}

extension RunReport.Node {
    func moved(by offset: Duration) -> RunReport.Node {
        var node = self
        node.queued = queued.map { $0 + offset }
        node.started = started.map { $0 + offset }
        node.ended = ended.map { $0 + offset }
        node.spans = spans.map { $0.moved(by: offset) }
        node.children = children.map { $0.moved(by: offset) }
        return node
    }
}

extension [RunReport.Node] {
    /// The names of the nodes with a result of an earlier run, and for a loop the number of its elements, as in
    /// `users, 12 of 40 elements of orders`; `nil` if there are none.
    package var resumedWork: String? {
        let work = resumed(inside: "")
        guard !work.isEmpty else {
            return nil
        }
        let rest = work.count > 12 ? ", and \(work.count - 12) more" : ""
        return work.prefix(12).joined(separator: ", ") + rest
    }

    private func resumed(inside path: String) -> [String] {
        flatMap { node -> [String] in
            let name = path + node.name
            guard node.status != .resumed else {
                return [name]
            }
            guard node.kind == .forEach else {
                return node.children.resumed(inside: "\(name)/")
            }
            // The pages of a listing are no elements.
            let elements = node.children.filter { $0.name.hasSuffix("]") }
            let count = elements.count { $0.status == .resumed }
            return count == 0 ? [] : ["\(count) of \(elements.count) elements of \(name)"]
        }
    }
}

extension [RunReport.Status] {
    /// The number of nodes with each status, as in `3 succeeded, 1 failed`.
    var counted: String {
        let counts = Dictionary(grouping: self, by: \.self).mapValues(\.count)
        let words = RunReport.Status.allCases.compactMap { status in counts[status].map { "\($0) \(status.words)" } }
        return words.isEmpty ? "no nodes" : words.joined(separator: ", ")
    }
}

package protocol WorkDetail: Sendable {
    /// A description of the work, with secrets masked.
    var words: String { get }

    var source: RunReport.Source? { get }

    var isFromCache: Bool { get }

    var attempts: Int { get }

    /// The time, on the runtime's clock, at which the work began; `nil` if it did not begin.
    var origin: Duration? { get }

    func spans(from offset: Duration) -> [RunReport.Span]
}
