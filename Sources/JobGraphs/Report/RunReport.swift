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
}

extension RunReport.CriticalStep: CustomStringConvertible {
    /// The path and the interval on one line, as in `items › items[3]: 200 ms, from 1 s to 1.2 s`.
    public var description: String {
        let name = path.isEmpty ? "no node" : path.joined(separator: " › ")
        let times =
            "\(ReportText.duration(duration)), from \(ReportText.duration(start)) to \(ReportText.duration(end))"
        return MessageText.of("\(name): \(times)")
    }
}

extension RunReport {
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

    /// The work of a node.
    ///
    /// More kinds may come with later versions; compare with the static members.
    public struct Kind: RawRepresentable, Sendable, Hashable, Codable, CustomStringConvertible {
        /// The name of the kind, which never changes.
        public let rawValue: String

        /// Creates a kind.
        ///
        /// - Parameter rawValue: The name of the kind.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The name of the kind.
        public var description: String { rawValue }

        /// Sends a request; the kind of work that another library provides.
        public static let request = Kind(rawValue: "request")
        /// Loads a listing, each page as an inner node.
        public static let pages = Kind(rawValue: "pages")
        /// Runs code of the user.
        public static let local = Kind(rawValue: "local")
        /// Runs a graph within the graph.
        public static let graph = Kind(rawValue: "graph")
        /// Runs one node for each element of a collection.
        public static let forEach = Kind(rawValue: "forEach")
        /// Repeats a job until a condition holds.
        public static let poll = Kind(rawValue: "poll")
        /// Runs only when a condition holds.
        public static let condition = Kind(rawValue: "condition")
        /// Replaces a node that failed.
        public static let fallback = Kind(rawValue: "fallback")
        /// Compensates what another node did.
        public static let compensation = Kind(rawValue: "compensation")
    }

    /// The outcome of a whole run.
    public enum Outcome: String, Sendable, Hashable, Codable, CaseIterable {
        /// No node failed, except where failure was ignored or handled by another node.
        case success
        /// A node failed, or was cancelled although neither the run nor the node was: by its own code, or as a call.
        case failure
        /// The run exceeded its time limit.
        case timedOut
        /// The run was cancelled.
        case cancelled
    }

    /// The status of a node that has ended.
    public enum Status: String, Sendable, Hashable, Codable, CaseIterable {
        /// It ended with a result.
        case success
        /// It ended with a result from the cache.
        case fromCache
        /// Its result was stored by an earlier run.
        case resumed
        /// It ended with an error.
        case failure
        /// Its result was compensated, because the run failed later.
        case compensated
        /// It did not run: a node that it needs did not succeed, or its condition did not hold.
        case skipped
        /// It did not run: the run ended before it could begin.
        case notRun
        /// It was cancelled.
        case cancelled

        /// A Boolean value that indicates whether the node has a result.
        public var isSuccess: Bool {
            switch self {
            case .success, .fromCache, .resumed: true
            case .failure, .compensated, .skipped, .notRun, .cancelled: false
            }
        }

        package var words: String {
            switch self {
            case .success: "succeeded"
            case .fromCache: "from the cache"
            case .resumed: "resumed"
            case .failure: "failed"
            case .compensated: "compensated"
            case .skipped: "skipped"
            case .notRun: "not run"
            case .cancelled: "cancelled"
            }
        }
    }

    /// The source of a result.
    ///
    /// Each kind of work defines its own sources; local work has none.
    public struct Source: RawRepresentable, Sendable, Hashable, Codable, CustomStringConvertible {
        /// The name of the source, which never changes.
        public let rawValue: String

        /// Creates a source.
        ///
        /// - Parameter rawValue: The name of the source.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The name of the source.
        public var description: String { rawValue }
    }

    /// An interval of a node's time.
    public struct Span: Sendable, Hashable {
        /// The phase on which the time was spent.
        public var phase: Phase

        /// The number of the attempt, beginning with 1; zero outside of any attempt.
        public var attempt: Int

        /// The beginning of the span.
        public var start: Duration

        /// The end of the span.
        public var end: Duration

        package init(_ phase: Phase, attempt: Int = 1, start: Duration, end: Duration) {
            self.phase = phase
            self.attempt = attempt
            self.start = start
            self.end = end
        }

        /// The duration of the span.
        public var duration: Duration { end - start }

        func moved(by offset: Duration) -> Span {
            Span(phase, attempt: attempt, start: start + offset, end: end + offset)
        }
    }

    /// A phase on which time is spent.
    ///
    /// Different kinds of work have different phases; compare with the static members.
    public struct Phase: RawRepresentable, Sendable, Hashable, Codable, CustomStringConvertible {
        /// The name of the phase, which never changes.
        public let rawValue: String

        /// Creates a phase.
        ///
        /// - Parameter rawValue: The name of the phase.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The name of the phase.
        public var description: String { rawValue }

        /// Waiting for a worker slot, a mutex key or another resource that is in use.
        public static let queued = Phase(rawValue: "queued")
        /// Waiting before the next attempt.
        public static let backoff = Phase(rawValue: "backoff")
        /// Decoding a result, once the worker slot is given back.
        public static let decoding = Phase(rawValue: "decoding")
        /// Running the work.
        public static let running = Phase(rawValue: "running")
    }
}
