// SPDX-License-Identifier: MIT

/// What the body of a node is given: the results of other nodes, and the way to run a job.
struct NodeContext: Sendable {
    let engine: GraphEngine
    let index: Int
    /// Where the node's work leaves what the report wants to know; `nil` for work that never waits.
    var note: JobNote?
    /// When the node must have ended, on the manager's clock.
    var deadline: Duration?
    /// What lets unsafe requests go out, in a run with a journal.
    var ticket: JournalTicket?
    /// Tells the requests of one node apart.
    var part = ""

    /// The result of a node that this one waits for.
    func value<Value>(of handle: JobHandle<Value>) throws -> Value {
        if case .success(let value) = engine.outcome(of: handle.index), let value = value as? Value {
            return value
        }
        return try settled(handle).get()
    }

    /// How a node ended that this one waits for, whatever its type.
    func outcome<Value>(of handle: JobHandle<Value>) -> JobOutcome<any Sendable> {
        engine.outcome(of: handle.index)
    }

    /// The result of a node, if it has one.
    func valueIfAny<Value>(of handle: JobHandle<Value>) -> Value? {
        guard case .success(let value) = outcome(of: handle) else {
            return nil
        }
        return value as? Value
    }

    /// The result or the error of a node that this one waits for.
    ///
    /// - Throws: ``NothingToDo`` when it has neither.
    func settled<Value>(_ handle: JobHandle<Value>) throws -> Result<Value, any Error> {
        switch outcome(of: handle) {
        case .success(let value):
            guard let value = value as? Value else {
                // The type of a handle is that of its node, so this cannot be; it is no reason to trap either.
                throw RestClientError(.unknownJobHandle, "the node '\(handle.name)' gives no \(Value.self)")
            }
            return .success(value)
        case .failure(let error):
            return .failure(error)
        case .cancelled, .skipped, .notRun:
            throw NothingToDo()
        }
    }

    /// Runs a job for the node.
    func run<Work: Job>(_ job: Work) async throws -> Work.Output {
        try await job.run(in: jobContext)
    }

    /// What a job of the node is told.
    var jobContext: JobContext {
        var context = JobContext(manager: engine.manager, groupID: engine.id)
        context.note = note
        context.deadline = deadline
        context.passes = ticket.map { JournalPasses($0, part: part) }
        context.priority = engine.program.options[index]?.priority
        return context
    }
}

/// What the body of a node throws that finds nothing to do: the node is skipped.
struct NothingToDo: Error {}
