// SPDX-License-Identifier: MIT

struct GraphProgram: Sendable {
    enum Announcement: Sendable {
        /// A group: its start and its end are announced.
        case group
        /// A graph: its start, its end, and those of every node are announced.
        case graph(name: String)
    }

    /// The nodes; a single one represents all when they differ only in ``names``.
    private var nodes: [JobNode]
    private var names: (@Sendable (Int) -> String)?
    let topology: JobTopology
    var options: [Int: JobOptions] = [:]
    var handled: Set<Int> = []
    /// The nodes that each node waits for, in the order of its edges; only in runs with a journal.
    var sources: [Int: [Int]] = [:]
    var compensations: [Int: Compensation] = [:]
    var announcement = Announcement.group
    /// Describes the members of a group; `nil` for a graph, whose nodes have names.
    var member: (@Sendable (Int) -> GroupEnding.Member)?

    init(nodes: [JobNode], topology: JobTopology, name: String) {
        self.nodes = nodes
        self.topology = topology
        announcement = .graph(name: name)
    }

    var count: Int { topology.count }

    func name(of node: Int) -> String { names?(node) ?? nodes[node].name }

    func kind(of node: Int) -> JobKind { nodes[place(of: node)].kind }

    func body(of node: Int) -> JobBody { nodes[place(of: node)].body }

    func output(of node: Int) -> any Sendable.Type { nodes[place(of: node)].output }

    private func place(of node: Int) -> Int { names == nil ? node : 0 }

    /// Returns the reaction to the failure of a node; `nil` for that of the run.
    func reaction(to node: Int) -> FailureReaction? {
        if !handled.isEmpty, handled.contains(node) {
            return .ignore
        }
        return options.isEmpty ? nil : options[node]?.onFailure
    }

    func leavesNote(_ node: Int) -> Bool {
        if case .graph = announcement { kind(of: node) != .local } else { kind(of: node) == .request }
    }
}

extension GraphProgram {
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

    init(
        group count: Int,
        chain: JobEdge.Need?,
        isRequest: (Int) -> Bool,
        _ run: @escaping @Sendable (NodeContext) async throws -> any Sendable
    ) {
        // One node represents all: the context tells which member it is.
        let member = JobNode(name: "", kind: .job, output: (any Sendable).self, body: .suspending(run))
        let request = JobNode(name: "", kind: .request, output: (any Sendable).self, body: member.body)
        nodes = (0..<count).map { isRequest($0) ? request : member }
        let edges = chain.map { need in
            (1..<max(1, count)).map { JobEdge(from: Int32($0 - 1), to: Int32($0), need: need) }
        }
        topology = JobTopology(count: count, edges: edges ?? [])
    }

    /// Turns a member of a group into a local node, which requests its slot when it becomes ready.
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
