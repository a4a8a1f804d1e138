// SPDX-License-Identifier: MIT

/// Work of your own, as a step among requests.
///
/// It takes a worker slot while it runs; requests that it sends itself may use that slot. It tells of itself through the
/// events ``ClientEvent/Kind-swift.enum/localJobStarted(name:)`` and the ones that end it.
///
/// ```swift
/// let save = LocalJob("save") { previous in try archive.write(previous.value(as: [Order].self)) }
/// let report = await manager.serially([orders, save])
/// ```
public struct LocalJob<Output: Sendable>: Job {
    /// The name in events and reports.
    public let name: String

    private let work: @Sendable (PreviousResult) async throws -> Output

    /// Creates a job that uses the result of the step before.
    ///
    /// - Parameters:
    ///   - name: The name in events and reports.
    ///   - work: The work. It runs on no actor, and should return early when its task is cancelled.
    public init(_ name: String, _ work: @escaping @Sendable (PreviousResult) async throws -> Output) {
        self.name = name
        self.work = work
    }

    /// Creates a job that needs nothing from the step before.
    ///
    /// - Parameters:
    ///   - name: The name in events and reports.
    ///   - work: The work. It runs on no actor, and should return early when its task is cancelled.
    public init(_ name: String, _ work: @escaping @Sendable () async throws -> Output) {
        self.init(name) { (_: PreviousResult) in try await work() }
    }

    /// Does the work while holding a worker slot.
    @concurrent
    public func run(in context: JobContext) async throws -> Output {
        let core = context.manager.core
        let outcome = await JobOutcome<Output>
            .of {
                try await core.workers.withSlot(lendsSlot: true, clock: core.clock) {
                    core.hub.emit(ClientEvent(.localJobStarted(name: name), groupID: context.groupID))
                    return try await work(context.previous)
                }
            }
        switch outcome {
        case .success:
            core.hub.emit(ClientEvent(.localJobSucceeded(name: name), groupID: context.groupID))
        case .failure(let error):
            core.hub.emit(ClientEvent(.localJobFailed(name: name, error), groupID: context.groupID))
        case .cancelled, .notRun:
            core.hub.emit(ClientEvent(.localJobCancelled(name: name), groupID: context.groupID))
        }
        return try outcome.get()
    }
}
