// SPDX-License-Identifier: MIT

public import RestEssentials

/// The report of a run, as a value that can be stored, sent and drawn.
///
/// It holds names, times and masked texts, but no results. `html()` draws it as a page, `chromeTrace()`
/// for Perfetto and `chrome://tracing`, `mermaidGantt()` for Markdown, `junitXML()` for build servers. ``json()``
/// encodes it, and ``init(json:)`` decodes it.
///
/// Times are offsets from the beginning of the run.
public struct RunReport: Sendable, Hashable {
    /// The name of the graph or group.
    public var name: String

    /// Identifies the run.
    public var id: String

    /// The time of day at which the run began.
    public var startedAt: Date

    /// The duration of the run.
    public var duration: Duration

    /// The outcome of the run.
    public var outcome: Outcome

    /// The nodes, in the order in which they were added.
    public var nodes: [Node]

    package init(
        name: String,
        id: String,
        startedAt: Date,
        duration: Duration,
        outcome: Outcome,
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
