// SPDX-License-Identifier: MIT

/// Jobs and local work that depend on one another, described as a value.
///
/// Each method adds a node and returns a ``JobHandle`` for its result. Naming handles in `after:` makes the edges: the
/// closure receives the results in their own types, so a wrong type does not compile.
///
/// ```swift
/// var graph = JobGraph("nightly")
/// let sources = graph.local("sources") { try await readSources() }
/// let program = graph.local("compile", after: sources) { sources in try await compile(sources) }
/// let pages = graph.local("pages", after: sources) { sources in try await render(sources) }
/// let summary = graph.local("summary", after: program, pages) { program, pages in Summary(program, pages) }
///
/// let run = try await runtime.run(graph)
/// print(try run[summary])
/// ```
///
/// A graph is only a description; it can be stored, copied, drawn (``mermaid``) and run any number of times. A node
/// begins as soon as everything it waits for has ended. A run reports mistakes in the structure (cycles, duplicate
/// names, handles of another graph) as errors before anything begins; see ``check()``.
public struct JobGraph: Sendable {
    /// The name in events, reports and drawings.
    public let name: String

    package internal(set) var nodes: [JobNode] = []
    package internal(set) var edges: [JobEdge] = []
    var options: [Int: JobOptions] = [:]
    /// The inner graphs that are known before the run, by the index of the node that runs them.
    package internal(set) var subgraphs: [Int: JobGraph] = [:]
    /// Makes the jobs of nodes without inputs, for inspection before the run.
    package internal(set) var previews: [Int: @Sendable @concurrent () async throws -> any Job] = [:]
    /// The nodes whose failure another node handles.
    var handled: Set<Int> = []
    var compensations: [Int: Compensation] = [:]
    private var names: Set<String> = []
    /// Duplicate names; recorded while the graph is built, because it may run more than once.
    private(set) var repeatedNames: [String] = []
    /// Errors in arguments; reported before the run.
    var defects: [JobGraphError] = []

    /// Creates an empty graph.
    ///
    /// - Parameter name: The name in events, reports and drawings.
    public init(_ name: String) {
        self.name = name
    }

    package var count: Int { nodes.count }
}

// MARK: - Edges

extension JobGraph {
    /// Makes a node begin only after another one, without passing it the result.
    ///
    /// - Parameters:
    ///   - first: The node to wait for.
    ///   - second: The node that waits.
    ///   - requiresSuccess: True if the second node is skipped when the first one fails; `true` by default. A failure
    ///     that ``JobOptions/onFailure(_:)`` ignores does not count.
    public mutating func order<First, Second>(
        _ first: JobHandle<First>,
        before second: JobHandle<Second>,
        requiresSuccess: Bool = true
    ) {
        guard owns(first, for: second.name), owns(second, for: first.name) else {
            return
        }
        edges.append(
            JobEdge(from: Int32(first.index), to: Int32(second.index), need: requiresSuccess ? .success : .end)
        )
    }

    mutating func add<each Input, Output>(
        _ name: String,
        _ kind: JobKind,
        after inputs: repeat JobHandle<each Input>,
        need: JobEdge.Need = .value,
        options: JobOptions? = nil,
        body: JobBody
    ) -> JobHandle<Output> {
        let node = JobNode(name: name, kind: kind, output: Output.self, body: body)
        let index = nodes.count
        nodes.append(node)
        claim(name)
        for input in repeat each inputs {
            connect(input, to: index, need)
            if need == .end, holds(input) {
                handled.insert(input.index)
            }
        }
        if let options {
            self.options[index] = options
            for condition in options.conditions {
                connect(condition.handle, to: index, condition.expected ? .truth : .falsehood)
            }
        }
        return JobHandle(name: name, index: index, id: node.id)
    }

    mutating func claim(_ name: String) {
        if !names.insert(name).inserted {
            repeatedNames.append(name)
        }
    }

    mutating func connect<Value>(_ handle: JobHandle<Value>, to index: Int, _ need: JobEdge.Need) {
        if owns(handle, for: nodes[index].name) {
            edges.append(JobEdge(from: Int32(handle.index), to: Int32(index), need: need))
        }
    }

    /// Returns true if a handle belongs to this graph; records a defect if it does not.
    mutating func owns<Value>(_ handle: JobHandle<Value>, for user: String) -> Bool {
        if holds(handle) {
            return true
        }
        defects.append(JobGraphError.foreignHandle(handle.name, namedBy: user, in: name))
        return false
    }

    func holds<Value>(_ handle: JobHandle<Value>) -> Bool {
        nodes.indices.contains(handle.index) && nodes[handle.index].id == handle.id
    }
}

extension JobGraph {
    /// Stores the closure that makes the job of the next node if that has no inputs, for inspection before the run.
    mutating func addPreview<each Input: Sendable, Work: Job>(
        after inputs: repeat JobHandle<each Input>,
        by make: @escaping @Sendable @concurrent (repeat each Input) async throws -> Work
    ) {
        for _ in repeat each inputs {
            return
        }
        let handles = (repeat each inputs)
        previews[nodes.count] = { try await make(repeat Self.nothing(for: each handles)) }
    }

    /// Stands in for a result; never called, because only jobs without inputs are previewed.
    private static func nothing<Input>(for handle: JobHandle<Input>) throws -> Input {
        throw NothingToDo()
    }
}
