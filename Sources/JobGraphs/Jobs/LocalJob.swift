// SPDX-License-Identifier: MIT

/// Work of your own, given as a closure.
///
/// It takes a worker slot while it runs; work that it starts itself may use that slot. Its start and its end are
/// reported to the runtime's ``JobObserver``.
///
/// ```swift
/// let save = LocalJob("save") { previous in try archive.write(previous.value(as: [Row].self)) }
/// let report = await runtime.serially([rows, save])
/// ```
public struct LocalJob<Output: Sendable>: Job {
    /// The name in events and reports.
    public let name: String

    private var priority = JobPriority.normal
    private let work: Work

    private enum Work: Sendable {
        case step(@Sendable (PreviousResult) async throws -> Output)
        case alone(@Sendable () async throws -> Output)
    }

    /// Creates a job that uses the result of the previous step.
    ///
    /// - Parameters:
    ///   - name: The name in events and reports.
    ///   - work: The work. It runs on no actor, and should return early when its task is cancelled.
    public init(_ name: String, _ work: @escaping @Sendable (PreviousResult) async throws -> Output) {
        self.name = name
        self.work = .step(work)
    }

    /// Creates a job that does not use the result of the previous step.
    ///
    /// - Parameters:
    ///   - name: The name in events and reports.
    ///   - work: The work. It runs on no actor, and should return early when its task is cancelled.
    public init(_ name: String, _ work: @escaping @Sendable () async throws -> Output) {
        self.name = name
        self.work = .alone(work)
    }

    /// Sets the priority with which the job waits for a worker; ``JobPriority/normal`` by default.
    ///
    /// - Parameter priority: The priority.
    /// - Returns: A changed copy.
    public consuming func priority(_ priority: JobPriority) -> Self {
        self.priority = priority
        return self
    }

    /// Does the work in a worker slot.
    ///
    /// A job that is cancelled while it waits for its slot has not begun: it has an outcome, but no event.
    @concurrent
    public func run(in context: JobContext) async throws -> Output {
        func noteWait(from start: Duration, to end: Duration) {
            context.note?.noteWait(from: start, to: end, since: context.runStart)
        }
        return try await context.runtime.runLocal(
            name,
            in: context.groupID,
            priority: context.priority ?? priority,
            reservation: context.reservation,
            note: context.isWholeWork ? context.note : nil,
            noteWait: noteWait(from:to:)
        ) { try await perform(after: context.previous) }
    }
}

extension LocalJob: SlottedJob {
    var ownPriority: JobPriority { priority }

    func perform(after previous: PreviousResult) async throws -> Output {
        switch work {
        case .step(let work): try await work(previous)
        case .alone(let work): try await work()
        }
    }
}
