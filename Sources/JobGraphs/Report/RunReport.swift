// SPDX-License-Identifier: MIT

public import RestEssentials

/// The report of a run, as a value to keep, to send and to draw.
///
/// It holds names, times and masked texts, and nothing of what the requests carried. `html()` draws it as a page,
/// `chromeTrace()` for Perfetto and `chrome://tracing`, `mermaidGantt()` for Markdown, `junitXML()` for build
/// servers, and ``json()`` writes it down so that ``init(json:)`` reads it again.
///
/// Times are offsets from the beginning of the run.
public struct RunReport: Sendable, Hashable {
    /// The name of the graph or group.
    public var name: String

    /// Tells the run apart from all others.
    public var id: String

    /// The time of day at which the run began.
    public var startedAt: Date

    /// The duration of the run.
    public var duration: Duration

    /// The outcome of the run.
    public var outcome: GraphRun.Status

    /// The nodes, in the order in which they were added.
    public var nodes: [Node]

    /// Creates a report.
    ///
    /// - Parameters:
    ///   - name: What was run.
    ///   - id: Tells the run apart from all others.
    ///   - startedAt: When the run began.
    ///   - duration: The duration of the run.
    ///   - outcome: The status of the run.
    ///   - nodes: What happened to each node, in the order in which the nodes were added.
    package init(
        name: String,
        id: String,
        startedAt: Date,
        duration: Duration,
        outcome: GraphRun.Status,
        nodes: [Node] = []
    ) {
        self.name = name
        self.id = id
        self.startedAt = startedAt
        self.duration = duration
        self.outcome = outcome
        self.nodes = nodes
    }
}
