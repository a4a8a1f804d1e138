// SPDX-License-Identifier: MIT

public import RestEssentials
package import SharedStore
import Synchronization

/// Runs jobs, groups and graphs, which share its worker pool, mutex keys and journals.
///
/// ```swift
/// let runtime = JobRuntime(workerCount: 8, directory: folder)
/// var graph = JobGraph("build")
/// let sources = graph.local("sources") { try listSources() }
/// let objects = graph.forEach("compile", in: sources) { source in try await compile(source) }
/// let run = try await runtime.run(graph)
/// ```
public final class JobRuntime: JobRunner {
    /// The pool that limits how much work runs at once.
    public let workers: WorkerPool

    package let clock: RuntimeClock
    package let now: @Sendable () -> Date
    private let outerJournals: JournalStore
    let mutexKeys = MutexKeys()
    package let tracing = Attachment<any JobTracer>()
    let namedRuns = NamedRuns()
    /// Describes an error without secrets.
    let words: @Sendable (any Error) -> String
    /// Returns true if slot holders may wait for the work of the current task, so that it needs no slot.
    let passesPool: @Sendable () -> Bool
    /// Returns the states of the scope in which the current task is, for work that only seems to be done there; `nil`
    /// outside of scopes.
    private let scope: @Sendable () -> ScopedStates?
    /// Returns the word for the origin of what the work of the current task gets; `nil` for the real thing.
    let origin: @Sendable () -> String?
    private let observer: (any JobObserver)?

    /// Creates a runtime.
    ///
    /// - Parameters:
    ///   - workerCount: The maximum number of jobs that run at once; zero means no limit.
    ///   - directory: The directory of the journals, which is created when a run needs it; by default journals are kept
    ///     in memory. Several runtimes and processes may share a directory.
    ///   - clock: The clock for waits and time limits.
    ///   - observer: Receives the events of jobs, groups and runs; none by default.
    public convenience init(
        workerCount: Int = 64,
        directory: URL? = nil,
        clock: some Clock<Duration> = ContinuousClock(),
        observer: (any JobObserver)? = nil
    ) {
        let clock = RuntimeClock(clock)
        self.init(
            workers: WorkerPool(size: workerCount, limits: [:], clock: clock),
            clock: clock,
            now: { Date() },
            observer: observer
        )
        if let directory {
            persist(in: directory)
        }
    }

    package init(
        workers: WorkerPool,
        clock: RuntimeClock,
        now: @escaping @Sendable () -> Date,
        observer: (any JobObserver)?,
        words: @escaping @Sendable (any Error) -> String = { JobRuntime.describe($0) },
        isSecret: @escaping @Sendable (_ member: String) -> Bool = { _ in false },
        passesPool: @escaping @Sendable () -> Bool = { false },
        scope: @escaping @Sendable () -> ScopedStates? = { nil },
        origin: @escaping @Sendable () -> String? = { nil }
    ) {
        self.workers = workers
        self.clock = clock
        self.now = now
        self.observer = observer
        self.words = words
        outerJournals = JournalStore(clock: clock, now: now, isSecret: isSecret)
        self.passesPool = passesPool
        self.scope = scope
        self.origin = origin
    }

    /// The runtime itself, without an owner.
    public var jobHost: JobHost { JobHost(self) }

    package func persist(in directory: URL, timing: RunTiming = RunTiming()) {
        outerJournals.use(directory, timing: timing)
    }

    package func persist(on engine: any BasicBacking, timing: RunTiming = RunTiming()) {
        outerJournals.use(engine, timing: timing)
    }

    package var journals: JournalStore { outerJournals.inside(scope()) }

    /// Runs one job.
    ///
    /// - Parameter job: The job.
    /// - Returns: The job's result.
    /// - Throws: The error of the job; `CancellationError` when the task is cancelled.
    @concurrent
    public func run<Work: Job>(_ job: Work) async throws -> Work.Output {
        try await job.run(in: JobContext(jobHost))
    }

    private static func describe(_ error: any Error) -> String {
        error is DecodingError || error is EncodingError ? JobGraphError.words(for: error) : "\(error)"
    }

    // MARK: - Events

    var isObserved: Bool { observer?.isObserved ?? false }

    func emit(
        _ kind: @autoclosure () -> JobEvent.Kind,
        in groupID: GroupID?,
        value: @autoclosure () -> (any Sendable)? = nil
    ) {
        if let observer, observer.isObserved {
            observer.observe(JobEvent(kind: kind(), groupID: groupID, value: value()))
        }
    }
}

/// The runs under way whose identifiers their callers made, so that they can be cancelled by them.
final class NamedRuns: Sendable {
    private let runs = Mutex<[GroupID: any NamedRun]>([:])

    func enter(_ run: any NamedRun) {
        runs.withLock { $0[run.id] = run }
    }

    func leave(_ run: any NamedRun) {
        runs.withLock { runs in
            if runs[run.id] === run {
                runs[run.id] = nil
            }
        }
    }

    subscript(id: GroupID) -> (any NamedRun)? {
        runs.withLock { $0[id] }
    }
}

protocol NamedRun: AnyObject, Sendable {
    var id: GroupID { get }

    func cancel()
}

extension JobRuntime {
    /// Does local work between its two events, in a worker slot, which it lends, unless slot holders may wait for it;
    /// work that is cancelled while it waits for its slot has not begun, and has no event.
    func runLocal<Output: Sendable>(
        _ name: String,
        in groupID: GroupID?,
        priority: JobPriority,
        since: Duration? = nil,
        reservation: SlotReservation?,
        note: JobNote?,
        noteWait: (_ start: Duration, _ end: Duration) -> Void,
        _ work: () async throws -> Output
    ) async throws -> Output {
        var hasStarted = false
        do {
            let output: Output
            try Task.checkCancellation()
            if passesPool() {
                // Slot holders may wait for this work.
                hasStarted = true
                emit(.localJobStarted(name: name), in: groupID)
                output = try await work()
            } else {
                // Not within `withSlot`: each function between here and the work costs the task memory and time.
                let holder = LocalWork(name: name, groupID: groupID)
                let slot: WorkerPool.Slot
                switch workers.acquire(for: holder, priority: priority, since: since, reservation) {
                case .granted(let free):
                    slot = free
                case .wait(let waiter):
                    let asked = reservation?.since ?? since ?? clock.now()
                    slot = try await workers.slot(of: waiter)
                    noteWait(asked, clock.now())
                }
                defer {
                    note?.update { [now = clock.now()] in $0.workEnded = now }
                    workers.release(slot)
                }
                hasStarted = true
                emit(.localJobStarted(name: name), in: groupID)
                output = try await workers.lending(slot, of: holder, work)
            }
            emit(.localJobSucceeded(name: name), in: groupID, value: output)
            return output
        } catch {
            if hasStarted {
                let outcome: JobOutcome<Void> = error is CancellationError ? .cancelled : .failure(error)
                emit(.localJobEnded(name, outcome), in: groupID)
            }
            throw error
        }
    }
}
