// SPDX-License-Identifier: MIT

public import RestEssentials

/// A finished run of a ``JobGraph``: its status, and the outcome of each node.
///
/// ```swift
/// let run = try await runtime.run(graph)
/// let summary = try run[summary]              // the result, in its own type, or the error that is in the way
/// for node in run.nodes where node.status == .failure { print(node.name, node.error!) }
/// ```
public struct GraphRun: Sendable {
    /// Identifies the run; the events of its calls and jobs carry it.
    public let id: GroupID

    /// The name of the graph.
    public let name: String

    /// The status of the run.
    public private(set) var status: RunReport.Outcome

    /// A Boolean value that is true if the run did nothing, because its journal has the results of an earlier run that
    /// succeeded.
    public private(set) var isStored = false

    /// The time of day at which the run began.
    public let startedAt: Date

    /// The duration of the run, compensations included.
    public let duration: Duration

    /// The compensations of a run that did not succeed, in the order in which they ran.
    public let compensations: [CompensationResult]

    let graph: any GraphOutline
    let ending: Ending
    let words: @Sendable (any Error) -> String
    private(set) var cause: (any Error)?

    struct Ending: Sendable {
        let records: NodeRecords
        let causes: [Int: Int]
        let firstFailure: Int?
        let start: Duration

        var results: [NodeResult] { records.results }
        var times: [NodeTimes] { records.times }

        func note(of node: Int) -> JobNote.Contents? { records.note(of: node)?.all }
    }

    /// A Boolean value that indicates whether no node failed, except where failure was ignored or handled by another
    /// node.
    public var isSuccess: Bool { status == .success }

    /// Returns the same run, as a failure if it succeeded: its journal says that it is unfinished, so the next run
    /// resumes it.
    func unfinished(because error: any Error) -> GraphRun {
        guard isSuccess else {
            return self
        }
        var run = self
        run.status = .failure
        run.cause = error
        return run
    }

    /// Returns the same run, as one that ended for a reason of its own: it goes on elsewhere.
    func interrupted(because error: (any Error)?) -> GraphRun {
        var run = self
        run.cause = error ?? run.cause
        return run
    }

    /// Returns the same run, as one that returned the results of an earlier one if it succeeded.
    func stored(_ isStored: Bool) -> GraphRun {
        var run = self
        run.isStored = isStored && isSuccess
        return run
    }

    /// Throws an error unless the run succeeded.
    ///
    /// - Throws: The error of the first node to fail, which is a `CancellationError` if it was cancelled on its own;
    ///   ``JobGraphError`` with the code
    ///   ``JobGraphError/Code-swift.struct/timeout`` when the run did not end in time; `CancellationError` when it was
    ///   cancelled; `StoreError` when only its journal could not be written.
    public func check() throws {
        if let failure {
            throw failure
        }
    }

    var failure: (any Error)? {
        switch status {
        case .success: nil
        case .cancelled: cause ?? CancellationError()
        case .failure, .timedOut:
            cause ?? ending.firstFailure.map { ending.results[$0].error ?? CancellationError() }
                ?? JobGraphError(.timeout, "the run of the graph '\(name)' did not end in time; see its report")
        }
    }
}

// MARK: - Nodes

extension GraphRun {
    /// The result of a node.
    ///
    /// - Parameter handle: The handle of the node.
    /// - Throws: The error of the node if it failed; `CancellationError` if it was cancelled; ``JobGraphError`` with
    ///   the code ``JobGraphError/Code-swift.struct/missingJobResult``, which gives the reason, if it was skipped or
    ///   not run, or ``JobGraphError/Code-swift.struct/unknownJobHandle`` if the node belongs to another graph.
    public subscript<Output>(handle: JobHandle<Output>) -> Output {
        get throws {
            let outcome = try self.outcome(of: handle)
            switch outcome {
            case .skipped, .notRun: throw missingResult(of: handle.index)
            case .success, .failure, .cancelled: return try outcome.get()
            }
        }
    }

    /// Unavailable: a result has the type of its handle, which a name has not.
    @available(*, unavailable, message: "read a result by the handle of its node, as in run[handle]")
    public subscript(name: String) -> Self {
        self
    }

    /// Returns the outcome of a node.
    ///
    /// - Parameter handle: The handle of the node.
    /// - Returns: The outcome, with the result in its own type.
    /// - Throws: ``JobGraphError`` with the code ``JobGraphError/Code-swift.struct/unknownJobHandle`` if the node
    ///   belongs to another graph.
    public func outcome<Output>(of handle: JobHandle<Output>) throws(JobGraphError) -> JobOutcome<Output> {
        func typed(_ value: any Sendable) throws -> Output {
            try TypedValue.cast(value, orThrow: CancellationError())
        }
        guard graph.holds(handle), let outcome = try? ending.results[handle.index].outcome.map(typed) else {
            throw JobGraphError.foreignHandle(handle.name, namedBy: "the run", in: name)
        }
        return outcome
    }

    private func missingResult(of index: Int) -> JobGraphError {
        let node = graph.name(of: index)
        var reason = "the run stopped before the node began"
        var underlying: (any Error)?
        if case .skipped = ending.results[index] {
            // The first of a chain of skipped nodes knows the real cause.
            var cause = index
            while let next = ending.causes[cause] {
                cause = next
            }
            underlying = ending.results[cause].error
            let word = ending.results[cause].outcome.word
            reason =
                cause == index ? "it had nothing to do" : "it was skipped because '\(graph.name(of: cause))' \(word)"
        }
        return JobGraphError(
            .missingJobResult,
            "the node '\(node)' of the graph '\(name)' has no result: \(reason)",
            underlying: underlying
        )
    }
}

extension JobOutcome {
    fileprivate var word: String {
        switch self {
        case .success: "did not let it run"
        case .failure: "failed"
        case .cancelled: "was cancelled"
        case .skipped: "was skipped"
        case .notRun: "was not run"
        }
    }
}

extension GraphRun: CustomStringConvertible {
    /// The status of the run, the number of nodes with each status, the work that was resumed, and the errors, without
    /// results.
    public var description: String {
        let nodes = nodes
        let end = nodes.map(\.status).counted
        let resumed = report.nodes.resumedWork.map { "; resumed: \($0)" } ?? ""
        let failures = nodes.compactMap { node in node.error.map { ("'\(node.name)'", $0) } }
        let undone = compensations.compactMap { undo in
            undo.outcome.error.map { ("'\(undo.name)' of '\(undo.node)'", $0) }
        }
        let lines = (failures + undone).prefix(20).map { "  \($0): \(self.words($1))" }
        let status = isStored ? "\(status.rawValue), stored by an earlier run," : status.rawValue
        return MessageText.lines(
            ["\(name): \(status) after \(ReportText.duration(duration)), \(end)\(resumed)"] + lines
        )
    }
}

protocol GraphOutline: Sendable {
    var count: Int { get }

    var edges: [JobEdge] { get }

    func name(of node: Int) -> String

    func kind(of node: Int) -> JobKind

    func tags(of node: Int) -> [String]

    func holds<Value>(_ handle: JobHandle<Value>) -> Bool
}
