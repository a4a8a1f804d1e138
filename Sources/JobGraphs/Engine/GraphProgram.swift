// SPDX-License-Identifier: MIT

/// The program of an engine: the nodes of a checked graph, or the members of a group.
struct GraphProgram: Sendable {
    /// The identity of the run in events.
    enum Announcement: Sendable {
        /// Those of a group: its beginning and its end.
        case group
        /// Those of a graph: its beginning, its end, and those of every node.
        case graph(name: String)
    }

    /// The nodes; one stands for all if only ``names`` tells them apart.
    private var nodes: [JobNode]
    private var names: (@Sendable (Int) -> String)?
    let topology: JobTopology
    var options: [Int: JobOptions] = [:]
    /// The nodes whose failure another node takes care of.
    var handled: Set<Int> = []
    /// The nodes that each node waits for, in the order of its edges; only in runs with a journal.
    var sources: [Int: [Int]] = [:]
    /// The compensations of nodes, by their places; they run only after a failure.
    var compensations: [Int: Compensation] = [:]
    var announcement = Announcement.group

    /// The program of a checked graph.
    init(_ graph: JobGraph) {
        nodes = graph.nodes
        topology = graph.topology
        options = graph.options
        handled = graph.handled
        compensations = graph.compensations
        announcement = .graph(name: graph.name)
    }

    /// The number of nodes.
    var count: Int { topology.count }

    /// The name of a node in events and reports.
    func name(of node: Int) -> String { names?(node) ?? nodes[node].name }

    /// The kind of a node.
    func kind(of node: Int) -> JobKind { nodes[place(of: node)].kind }

    /// The work of a node.
    func body(of node: Int) -> JobBody { nodes[place(of: node)].body }

    /// The type of the result of a node.
    func output(of node: Int) -> any Sendable.Type { nodes[place(of: node)].output }

    private func place(of node: Int) -> Int { names == nil ? node : 0 }

    /// True if the run counts as successful although that node fails.
    func tolerates(_ node: Int) -> Bool {
        (!options.isEmpty && options[node]?.continuesOnError == true) || (!handled.isEmpty && handled.contains(node))
    }

    /// True if the work of a node leaves a note for a report, when it is not retried.
    func leavesNote(_ node: Int) -> Bool {
        if case .graph = announcement { kind(of: node) != .local } else { false }
    }
}

extension GraphProgram {
    /// A group of local jobs side by side, which wait for their slots without tasks.
    init<Work: SlottedJob>(group jobs: [Work]) {
        let body = JobBody.suspending { context in
            try await jobs[context.index].perform(after: PreviousResult())
        }
        topology = JobTopology(count: jobs.count)
        nodes = [JobNode(name: "", kind: .local, output: Work.Output.self, body: body)]
        names = { jobs[$0].name }
        for index in jobs.indices {
            setPriority(of: index, jobs[index].ownPriority)
        }
    }

    /// A group of jobs: side by side, or one after the other.
    ///
    /// - Parameters:
    ///   - count: How many jobs there are.
    ///   - chain: What each needs of the one before it; `nil` for jobs side by side.
    ///   - run: Runs one of them; its place is the context's index.
    init(
        group count: Int,
        chain: JobEdge.Need?,
        _ run: @escaping @Sendable (NodeContext) async throws -> any Sendable
    ) {
        // One for all: the context tells which one it is.
        let member = JobNode(name: "", kind: .job, output: (any Sendable).self, body: .suspending(run))
        nodes = Array(repeating: member, count: count)
        let edges = chain.map { need in
            (1..<max(1, count)).map { JobEdge(from: Int32($0 - 1), to: Int32($0), need: need) }
        }
        topology = JobTopology(count: count, edges: edges ?? [])
    }

    /// Makes a member of a group a local node, which asks for its slot when its turn comes.
    ///
    /// - Parameters:
    ///   - index: The place of the member.
    ///   - job: The member.
    ///   - run: Runs it inside its slot.
    mutating func makeLocal<Work: SlottedJob>(
        _ index: Int,
        _ job: Work,
        _ run: @escaping @Sendable (NodeContext) async throws -> any Sendable
    ) {
        nodes[index] = JobNode(name: job.name, kind: .local, output: Work.Output.self, body: .suspending(run))
        setPriority(of: index, job.ownPriority)
    }

    private mutating func setPriority(of index: Int, _ priority: JobPriority) {
        if priority != .normal {
            options[index, default: JobOptions()].priority = priority
        }
    }
}
