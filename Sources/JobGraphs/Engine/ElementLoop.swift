// SPDX-License-Identifier: MIT

import RestEssentials

struct ElementLoop: Sendable {
    let name: String
    let kind: JobKind
    /// The maximum number of elements that run at once; `nil` or zero for as many as there are workers.
    let limit: Int?
    let retry: RetryPolicy?
    let failure: FailureReaction
    var inputs: [Int] = []
    /// A Boolean value that is true if the elements are the pairs of a dictionary, whose order differs in each process.
    var hasPairs = false

    typealias Work<Element, Output> = @Sendable @concurrent (Element, String, NodeContext) async throws -> Output

    init(_ name: String, _ kind: JobKind, _ limit: Int?, _ failure: FailureReaction, _ options: JobOptions?) {
        self.name = name
        self.kind = kind
        self.limit = limit
        self.failure = failure
        retry = options?.retry
    }

    /// Returns the next elements, one batch after the other; `nil` after the last one.
    typealias Batches<Element> = @Sendable () async throws -> [Element]?

    private enum Step<Element: Sendable, Output: Sendable>: Sendable {
        case ended(Ended<Output>)
        case batch(Result<[Element]?, any Error>)
    }

    private struct Ended<Output: Sendable>: Sendable {
        let index: Int
        let outcome: JobOutcome<Output>
        let report: RunReport.Node
        let failure: AttemptFailure?
    }

    /// Runs the work for each element, then for those of batches; the next batch is asked for once the work for all
    /// elements before it has begun.
    func run<Element: Sendable, Output: Sendable>(
        _ elements: [Element],
        then batches: Batches<Element>? = nil,
        label: (@Sendable (Element) -> String)?,
        _ context: NodeContext,
        _ work: @escaping Work<Element, Output>
    ) async throws -> [JobOutcome<Output>] {
        var elements = elements
        var batches = batches
        var batchFailure: (any Error)?
        var isCutShort = false
        var outcomes = [JobOutcome<Output>](repeating: .notRun, count: elements.count)
        var reports: [(index: Int, node: RunReport.Node)] = []
        var failures: [(index: Int, isCause: Bool, failure: AttemptFailure)] = []
        let session = context.engine.settings.session
        let engine = context.engine
        let ready = engine.runtime.clock.now() - engine.start
        engine.count(elements.count, of: context.index, isLast: batches == nil)
        await withTaskGroup(of: Step<Element, Output>.self) { group in
            var next = 0
            var running = 0
            var isLoading = false
            var seen: [String: Int] = [:]
            let width = width(context)
            func begin() {
                let (index, element) = (next, elements[next])
                next += 1
                let entry = session?.entry(of: element, at: index, in: self, &seen, Output.self, context)
                var own = context
                own.reservation = reservation(of: index, entry, context)
                let inner = own
                running += 1
                group.addTask { .ended(await one(element, index, ready, entry, label, inner, work)) }
            }
            func goOn() {
                while running < width, next < elements.count {
                    begin()
                }
                if let batches, !isLoading, next == elements.count {
                    isLoading = true
                    group.addTask {
                        do {
                            return .batch(.success(try await batches()))
                        } catch {
                            return .batch(.failure(error))
                        }
                    }
                }
            }
            func stop() {
                next = elements.count
                batches = nil
            }
            goOn()
            while let step = await group.next() {
                switch step {
                case .ended(let ended):
                    running -= 1
                    engine.countEnd(of: context.index)
                    outcomes[ended.index] = ended.outcome
                    reports.append((ended.index, ended.report))
                    if let failure = ended.failure {
                        failures.append((ended.index, ended.outcome.error != nil, failure))
                    }
                    if !failure.goesOn, !ended.outcome.isSuccess {
                        stop()
                        if failure == .cancel {
                            group.cancelAll()
                        }
                    }
                case .batch(.success(let batch)):
                    isLoading = false
                    if let batch, batches != nil {
                        engine.count(batch.count, of: context.index, isLast: false)
                        elements += batch
                        outcomes += batch.map { _ in .notRun }
                    } else {
                        engine.count(0, of: context.index, isLast: true)
                        batches = nil
                    }
                case .batch(.failure(let error)):
                    isLoading = false
                    // Batches that the failure of an element cancelled are not the reason of the node's failure.
                    if batches != nil {
                        batchFailure = error
                        stop()
                    }
                    if failure == .cancel {
                        group.cancelAll()
                    }
                }
                if Task.isCancelled || engine.isHalted {
                    isCutShort = isCutShort || next < elements.count || batches != nil
                    stop()
                }
                goOn()
            }
        }
        let children = reports.sorted { $0.index < $1.index }.map(\.node)
        // The node fails with the error of the first element, and is retried only if no element would do its work
        // twice.
        let firstFailure = (failures.filter(\.isCause).min { $0.index < $1.index } ?? failures.first)
            .map { first -> AttemptFailure in
                var failure = first.failure
                for other in failures {
                    failure.repetition.add(other.failure.repetition)
                }
                return failure
            }
        context.note?
            .update { note in
                // The pages of a listing, if it runs for their items, are before them.
                note.children += children
                note.failure = firstFailure
            }
        if engine.isHalted, isCutShort || !outcomes.allSatisfy(\.isSuccess) {
            throw CancellationError()
        }
        // Elements and batches that a cancellation left out are not failures that may be ignored.
        if failure == .ignore || !outcomes.contains(where: { $0.error != nil }) {
            try Task.checkCancellation()
        }
        if let batchFailure {
            throw batchFailure
        }
        return outcomes
    }

    /// The loop's width; without a limit the number of workers, because more tasks would only wait for slots.
    private func width(_ context: NodeContext) -> Int {
        [limit ?? 0, context.engine.runtime.workers.size].first { $0 > 0 } ?? .max >> 1
    }

    /// Requests the slot of an element's local work, so that elements wait for slots in order.
    private func reservation(of index: Int, _ entry: JournalEntry?, _ context: NodeContext) -> SlotReservation? {
        let (engine, session) = (context.engine, context.engine.settings.session)
        guard kind == .local, !engine.passesPool, entry.flatMap({ session?.isFinished($0) }) != true else {
            return nil
        }
        let now = engine.runtime.clock.now()
        let work = LocalWork(name: name(of: index), groupID: engine.id)
        let demand = SlotDemand(
            holder: work,
            priority: engine.options(of: context.index)?.priority ?? .normal,
            since: now
        )
        return SlotReservation(engine.runtime.workers.take(demand, at: now), of: engine.runtime.workers, since: now)
    }

    private func name(of index: Int) -> String { "\(name)[\(index)]" }

    private func one<Element: Sendable, Output: Sendable>(
        _ element: Element,
        _ index: Int,
        _ ready: Duration,
        _ entry: JournalEntry?,
        _ label: (@Sendable (Element) -> String)?,
        _ context: NodeContext,
        _ work: @escaping Work<Element, Output>
    ) async -> Ended<Output> {
        let engine = context.engine
        let name = self.name(of: index)
        defer { context.reservation?.giveUp() }
        let note = JobNote()
        var own = context
        own.note = note
        own.element = entry
        let inner = own
        let started = engine.runtime.clock.now()
        let span = engine.spans?.begin(self.name, .element(RunReport.Kind(kind), index: index))
        var outcome = await span.surround {
            await JobOutcome<Output>
                .of {
                    try await inner.journalled(entry) { context in
                        try await context.retrying(by: retry) { try await work(element, name, context) }
                    }
                }
        }
        if !outcome.isSuccess, Task.isCancelled {
            // Whatever it threw, its cancellation is the cause, which has a cause of its own.
            outcome = .cancelled
        }
        if case .failure(let failure) = outcome, var error = failure as? any WorkError, error.node == nil {
            error.setNode(name)
            outcome = .failure(error)
        }
        let contents = note.all
        span?.end(TracedWork.End(outcome.erased, contents))
        var times = NodeTimes()
        times.started = started
        times.ended = contents.workEnded ?? engine.runtime.clock.now()
        var report = NodeEnding(
            kind: kind,
            error: outcome.error,
            times: times,
            note: contents,
            runStart: engine.start
        )
        .report(name, RunReport.Status(outcome.erased, contents), ready: ready, words: engine.runtime.words)
        report.label = label.map { MessageText.of($0(element), limit: MessageText.partLimit) }
        return Ended(
            index: index,
            outcome: outcome,
            report: report,
            failure: outcome.isSuccess ? nil : contents.failure
        )
    }
}

extension FailureReaction {
    var goesOn: Bool { self == .continue || self == .ignore }

    func results<Output>(of outcomes: [JobOutcome<Output>]) throws -> [Output] {
        guard self != .ignore else {
            return outcomes.compactMap(\.value)
        }
        // Elements that the loop cancelled have no errors, so this is the cause.
        if let error = outcomes.lazy.compactMap(\.error).first {
            throw error
        }
        return try outcomes.map { try $0.get() }
    }
}

extension NodeContext {
    fileprivate func journalled<Output: Sendable>(
        _ entry: JournalEntry?,
        _ work: (NodeContext) async throws -> Output
    ) async throws -> Output {
        guard let entry, let session = engine.settings.session else {
            return try await work(self)
        }
        let (value, _) = try await session.perform(entry, self) { context in try await work(context) }
        return try TypedValue.cast(
            value,
            orThrow: JournalCoding.damaged("'\(entry.path.name)'", "it is not a \(Output.self)")
        )
    }
}
