// SPDX-License-Identifier: MIT

extension RunReport {
    /// The report of one node of a run.
    public struct Node: Sendable, Hashable {
        /// The name, which no other node of the same graph has.
        public var name: String

        /// The kind of the node's work.
        public var kind: Kind

        /// The names of the nodes that had to end before this one began, among those of the same graph.
        public var dependencies: [String]

        /// The tags that the node was given.
        public var tags: [String]

        /// The status of the node.
        public var status: Status

        /// The number of attempts; zero when the work was not begun.
        public var attempts: Int

        /// The error in words, with its secrets masked; `nil` when there was none.
        public var error: String?

        /// The work in words, with its secrets masked, as in `compile main.swift`.
        public var detail: String?

        /// The source of the result; `nil` when the work has none.
        public var source: Source?

        /// The time at which the last input of the node was ready; `nil` if that never came.
        public var queued: Duration?

        /// The time at which the node began its work; `nil` if it did not begin.
        public var started: Duration?

        /// The time at which the node ended; `nil` if it did not begin.
        public var ended: Duration?

        /// The phases on which the time was spent, in order.
        public var spans: [Span]

        /// The nodes inside: those of a graph within the graph, or one for each element.
        public var children: [Node]

        /// Creates the report of one node.
        ///
        /// - Parameters:
        ///   - name: The name, which no other node of the same graph has.
        ///   - kind: What the node does.
        ///   - dependencies: The names of the nodes that had to end before this one began.
        ///   - tags: The tags that the node was given.
        ///   - status: The status of the node.
        ///   - attempts: How many attempts were made.
        ///   - error: The error in words, with its secrets masked.
        ///   - detail: What was done, in words and with its secrets masked.
        ///   - source: The source of the result.
        ///   - queued: When all that the node waited for was there.
        ///   - started: When the node began its work.
        ///   - ended: When the node ended.
        ///   - spans: What the time was spent on, in order.
        ///   - children: The nodes inside.
        package init(
            name: String,
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
