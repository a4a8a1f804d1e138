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

    private(set) var nodes: [JobNode]
    let topology: JobTopology
    var options: [Int: JobOptions] = [:]
    /// The nodes whose failure another node takes care of.
    var handled: Set<Int> = []
    /// The nodes that each node waits for, in the order of its edges; only in runs with a journal.
    var sources: [Int: [Int]] = [:]
    /// The compensations of nodes, by their places; they run only after a failure.
    var compensations: [Int: Compensation] = [:]
    var announcement = Announcement.group

    /// True if the run counts as successful although that node fails.
    func tolerates(_ node: Int) -> Bool {
        (!options.isEmpty && options[node]?.continuesOnError == true) || (!handled.isEmpty && handled.contains(node))
    }

    /// True if the work of a node leaves a note for a report, when it is not retried.
    func leavesNote(_ node: Int) -> Bool {
        if case .graph = announcement { nodes[node].kind != .local } else { false }
    }
}

extension GraphProgram {
    /// A group of local jobs side by side, which wait for their slots without tasks.
    init<Work: SlottedJob>(group jobs: [Work]) {
        let body = JobBody.suspending { context in
            try await jobs[context.index].perform(after: PreviousResult())
        }
        topology = JobTopology(count: jobs.count)
        nodes = []
        nodes.reserveCapacity(jobs.count)
        // A list of numbered jobs would be of a type that the runtime looks up for each of them.
        for job in jobs {
            nodes.append(JobNode(name: job.name, kind: .local, output: Work.Output.self, body: body))
            setPriority(of: nodes.count - 1, job.ownPriority)
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
