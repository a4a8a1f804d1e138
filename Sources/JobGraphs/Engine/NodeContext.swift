// SPDX-License-Identifier: MIT

@dynamicMemberLookup
struct NodeContext: Sendable {
    /// The parts that only some nodes need; kept apart because a context is copied for each node.
    struct Extras: Sendable {
        var note: JobNote?
        var deadline: Duration?
        var ticket: JournalTicket?
        var keys: MutexKeys.Request?
        var reservation: SlotReservation?
        var element: JournalEntry?
        var stored: [Int: NodeResult] = [:]
        var part = ""
    }

    private final class Box: Sendable {
        let extras: Extras

        init(_ extras: Extras) {
            self.extras = extras
        }
    }

    let engine: GraphEngine
    let index: Int
    private var box: Box?

    init(engine: GraphEngine, index: Int) {
        self.engine = engine
        self.index = index
    }

    subscript<Value>(dynamicMember member: WritableKeyPath<Extras, Value>) -> Value {
        get { extras[keyPath: member] }
        set {
            var extras = extras
            extras[keyPath: member] = newValue
            box = Box(extras)
        }
    }

    private var extras: Extras { box?.extras ?? Extras(deadline: engine.settings.deadline) }

    func result(at place: Int) -> NodeResult {
        box?.extras.stored[place] ?? engine.result(of: place)
    }

    /// Returns the value of a node that this one waits for; throws its error, or ``NothingToDo`` when it has neither.
    func value<Value: Sendable>(at place: Int, as type: Value.Type = Value.self) throws -> Value {
        switch result(at: place) {
        case .success(let value):
            // A handle has the type of its node, so the cast always succeeds.
            return try TypedValue.cast(
                value,
                orThrow: JobGraphError(
                    .unknownJobHandle,
                    "the node '\(engine.program.name(of: place))' has no result of type \(type)"
                )
            )
        case .failure(let error):
            throw error
        case .cancelled, .skipped, .notRun:
            throw NothingToDo()
        }
    }

    func value<Value: Sendable>(of handle: JobHandle<Value>) throws -> Value {
        try value(at: handle.index)
    }

    /// Returns the next value among those of the nodes at `places`, and advances the position.
    func nextValue<Value: Sendable>(of places: [Int], _ position: inout Int, as type: Value.Type) throws -> Value {
        defer { position += 1 }
        return try value(at: places[position], as: type)
    }

    func run<Work: Job>(_ job: Work) async throws -> Work.Output {
        try await job.run(in: jobContext)
    }

    func runLocal<Output: Sendable>(_ job: LocalJob<Output>) async throws -> Output {
        var context = jobContext
        context.isWholeWork = true
        return try await job.run(in: context)
    }

    var jobContext: JobContext {
        var context = JobContext(engine.host, groupID: engine.id)
        let extras = extras
        context.note = extras.note
        context.runStart = engine.start
        context.deadline = extras.deadline
        context.reservation = extras.reservation
        context.unsafeWork = extras.ticket.map { UnsafeWorks($0, part: extras.part) }
        context.priority = engine.program.options[index]?.priority
        return context
    }
}
