// SPDX-License-Identifier: MIT

/// The context of a node's body: the results of other nodes, and the way to run a job.
struct NodeContext: Sendable {
    let engine: GraphEngine
    var index: Int
    /// Where the node's work leaves what the report wants to know; `nil` for work that never waits.
    var note: JobNote?
    /// When the node must have ended, on the runtime's clock.
    var deadline: Duration?
    /// The guard of unsafe requests, in a run with a journal.
    var ticket: JournalTicket?
    /// The mutex keys that the node asked for when its turn came.
    var keys: MutexKeys.Request?
    /// The slot that local work asked for when its turn came, for its first attempt.
    var reservation: SlotReservation?
    /// Tells the requests of one node apart.
    var part = ""

    /// How a node ended that this one waits for.
    func result(at place: Int) -> NodeResult {
        engine.result(of: place)
    }

    /// The value of a node that this one waits for.
    ///
    /// - Throws: What is in the way: the node's error, or ``NothingToDo`` when it has neither.
    func value<Value>(at place: Int, as type: Value.Type) throws -> Value {
        switch result(at: place) {
        case .success(let value as Value):
            return value
        case .success:
            // The type of a handle is that of its node, so this cannot be; it is no reason to trap either.
            throw JobGraphError(.unknownJobHandle, "the node '\(engine.program.nodes[place].name)' gives no \(type)")
        case .failure(let error):
            throw error
        case .cancelled, .skipped, .notRun:
            throw NothingToDo()
        }
    }

    /// The value of a node that this one waits for.
    ///
    /// - Throws: What is in the way: the node's error, or ``NothingToDo`` when it has neither.
    func value<Value>(of handle: JobHandle<Value>) throws -> Value {
        try value(at: handle.index, as: Value.self)
    }

    /// The next of the values of nodes that this one waits for.
    ///
    /// - Parameters:
    ///   - places: Where the nodes are.
    ///   - position: Which of them is next.
    ///   - type: The type of its value.
    /// - Returns: The value.
    /// - Throws: What is in the way: the node's error, or ``NothingToDo`` when it has neither.
    func nextValue<Value>(of places: [Int], _ position: inout Int, as type: Value.Type) throws -> Value {
        defer { position += 1 }
        return try value(at: places[position], as: type)
    }

    /// The value of a node, if it has one.
    func valueIfAny<Value>(of handle: JobHandle<Value>) -> Value? {
        guard case .success(let value) = result(at: handle.index) else {
            return nil
        }
        return value as? Value
    }

    /// The value or the error of a node that this one waits for.
    ///
    /// - Throws: ``NothingToDo`` when it has neither.
    func settled<Value>(_ handle: JobHandle<Value>) throws -> Result<Value, any Error> {
        if case .failure(let error) = result(at: handle.index) {
            return .failure(error)
        }
        return .success(try value(of: handle))
    }

    /// Runs a job for the node.
    func run<Work: Job>(_ job: Work) async throws -> Work.Output {
        try await job.run(in: jobContext)
    }

    /// The context of a job of the node.
    var jobContext: JobContext {
        var context = JobContext(engine.host, groupID: engine.id)
        context.note = note
        context.deadline = deadline
        context.reservation = reservation
        context.unsafeWork = ticket.map { UnsafeWorks($0, part: part) }
        context.priority = engine.program.options[index]?.priority
        return context
    }
}

/// The error of a body that finds nothing to do: the node is skipped.
struct NothingToDo: Error {}
