// SPDX-License-Identifier: MIT

import RestEssentials
import SharedStore
import Synchronization

/// Runs durable graphs that wait in the queues of a store, together with the workers of other processes.
///
/// ```swift
/// try await manager.persist(in: folder)
/// try await manager.worker(limit: 4).offering(.nightly).run()
/// ```
///
/// At most one worker has a run. It renews its claim by a beat each 10 seconds; when its process dies, another worker
/// continues the run: within seconds on the same machine, else after 30 seconds without a beat. What a worker that was
/// suspended for so long writes afterwards is refused, and unsafe work begins only while the claim is beyond doubt.
public struct RunWorker: Sendable {
    private let host: JobHost
    private let limit: Int
    private var offers: [Offer] = []

    /// A durable graph without the type of its input.
    struct Offer: Sendable {
        let name: String
        let journal: @Sendable (_ run: String) -> RunJournal
        let check: @Sendable () throws(JobGraphError) -> Void
        let graph: @Sendable (Data, JournalHead, _ run: String) throws -> JobGraph
    }

    init(host: JobHost, limit: Int) {
        self.host = host
        self.limit = limit
    }

    /// Adds a graph to those that the worker runs.
    ///
    /// - Parameter graph: The graph.
    /// - Returns: The worker with the graph.
    public func offering<Input>(_ graph: DurableGraph<Input>) -> RunWorker {
        var worker = self
        worker.offers.append(
            Offer(
                name: graph.name,
                journal: graph.journal,
                check: graph.check,
                graph: graph.graph
            )
        )
        return worker
    }

    /// Works until the task is cancelled.
    ///
    /// Then it claims nothing more. What runs may end within 30 seconds; no other node begins, and nothing is
    /// compensated: what is left of the runs goes back to their queues, where other workers continue it. The method
    /// returns when all that is done. Where a `Service` of swift-service-lifecycle is asked for, this is its `run()`.
    ///
    /// - Throws: ``JobGraphError`` at once when no graph is offered, or two of one name, or one whose input cannot be
    ///   stored; `StoreError` when the file cannot be opened. Later failures of the store end nothing: the worker tries
    ///   again.
    @concurrent
    public func run() async throws {
        let names = offers.map(\.name)
        guard !offers.isEmpty, Set(names).count == names.count else {
            throw JobGraphError(
                .duplicateJobName,
                offers.isEmpty
                    ? "the worker offers no graph; name the graphs that it runs with offering(_:)"
                    : "the worker offers two graphs of one name: \(names.sorted().joined(separator: ", "))"
            )
        }
        for offer in offers {
            try offer.check()
        }
        let life = try host.runtime.journals.life()
        let number = try await life.beginOffer(names)
        await RunCrew(host, offers, life, limit: limit).work()
        await life.endOffer(number)
    }
}

/// The runs that a worker has at a time.
private final class RunCrew: Sendable {
    private enum Event {
        /// A run has ended; it went well with the store or not.
        case ended(isGoing: Bool)
        case looked
    }

    private let host: JobHost
    private let offers: [RunWorker.Offer]
    private let life: RunLife
    private let limit: Int
    private let claims = Mutex<[String: RunClaim]>([:])

    init(_ host: JobHost, _ offers: [RunWorker.Offer], _ life: RunLife, limit: Int) {
        self.host = host
        self.offers = offers
        self.life = life
        self.limit = limit
    }

    func work() async {
        let sweeper = Task { [life] in await life.sweepUntilCancelled() }
        await withTaskCancellationHandler {
            await claimAndPerform()
        } onCancel: {
            tell(.stop)
        }
        sweeper.cancel()
        await sweeper.value
    }

    private func claimAndPerform() async {
        await withTaskGroup(of: Event.self) { group in
            var (running, isLooking, mayClaim) = (0, false, true)
            while !Task.isCancelled {
                if mayClaim, running < limit {
                    for (claim, offer) in await claim(limit - running) {
                        claims.withLock { $0[claim.run] = claim }
                        // A task of its own, because a run must not be cancelled with its worker.
                        let task = Task { await self.perform(claim, offer) }
                        running += 1
                        group.addTask { .ended(isGoing: await task.value) }
                    }
                }
                if !isLooking {
                    isLooking = true
                    group.addTask { [life] in
                        try? await life.clock.sleep(for: life.timing.look)
                        return .looked
                    }
                }
                switch await group.next() {
                case .ended(let isGoing):
                    running -= 1
                    // After a failure of the store, the next look is early enough.
                    mayClaim = mayClaim && isGoing
                case .looked, nil:
                    isLooking = false
                    mayClaim = true
                }
            }
            await drain { await group.waitForAll() }
        }
    }

    private func drain(_ wait: () async -> Void) async {
        // Again, for those that were claimed meanwhile.
        tell(.stop)
        let timer = Task { [self] in
            if (try? await life.clock.sleep(for: life.timing.grace)) != nil {
                tell(.abandon)
            }
        }
        await wait()
        timer.cancel()
    }

    private func tell(_ signal: RunClaim.Signal) {
        for claim in claims.withLock({ Array($0.values) }) {
            claim.send(signal)
        }
    }

    // MARK: - Claims

    /// Claims ready runs, as many as there is room for; the first ones of each graph in turn.
    private func claim(_ most: Int) async -> [(RunClaim, RunWorker.Offer)] {
        var taken: [(RunClaim, RunWorker.Offer)] = []
        for offer in offers.shuffled() where taken.count < most {
            let now = QueuePlace(offer.name, due: host.runtime.now())
            guard let queued = try? await life.rows.queued(JournalRows.queue(offer.name), limit: 64) else {
                continue
            }
            let room = most - taken.count
            let due = queued.prefix { $0.place.due <= now.due }
            // Workers seldom want the same run if they do not all begin with the first.
            let wanted = life.isAlone ? Array(due) : due.prefix(max(8, 2 * room)).shuffled()
            for run in wanted.prefix(room) {
                if let claim = try? await life.claim(run) {
                    taken.append((claim, offer))
                }
            }
        }
        return taken
    }

    // MARK: - One run

    /// Works a run to its end, or gives it back; returns false if the store failed.
    private func perform(_ claim: RunClaim, _ offer: RunWorker.Offer) async -> Bool {
        defer { claims.withLock { $0[claim.run] = nil } }
        let rows = life.rows.claimed(by: claim)
        do {
            let runner = try await open(rows, claim, offer)
            if try await rows.backing.summary(JournalRows.cancellation(claim.run), in: .journal) != nil {
                claim.send(.cancel)
            }
            _ = await runner.run()
            return true
        } catch let error as StoreError {
            // What cannot be read now is tried again, by whoever can.
            _ = error
            await rows.leave()
            return false
        } catch {
            return await fail(rows, claim, host.runtime.words(error))
        }
    }

    private func open(
        _ rows: JournalRows,
        _ claim: RunClaim,
        _ offer: RunWorker.Offer
    ) async throws -> JournalledRunner {
        guard let row = try await rows.backing.row(JournalRows.head(claim.run), in: .journal),
            let head = try await rows.head(of: claim.run)
        else {
            throw JobGraphError(.unknownJournal, "the run '\(claim.run)' was removed")
        }
        let graph: JobGraph
        do {
            graph = try offer.graph(row.value, head, claim.run)
        } catch let error as StoreError {
            // The builder's own, and not one of the journal.
            throw JobGraphError(.journalUnreadable, error.reason, underlying: error)
        }
        let journal = offer.journal(claim.run)
        try graph.check()
        try graph.checkResults(for: journal)
        return try await JournalledRunner(rows, journal, graph, named: offer.name, host: host)
    }

    /// Ends a run that cannot begin.
    private func fail(_ rows: JournalRows, _ claim: RunClaim, _ reason: String) async -> Bool {
        do {
            var steps: [RowStep] = []
            if var head = try? await rows.head(of: claim.run) {
                head.status = .failed
                head.reason = MessageText.of(reason)
                steps.append(try JournalRows.refresh(head, of: claim.run, at: host.runtime.now()))
            }
            try await rows.end(steps)
            return true
        } catch {
            await rows.leave()
            return false
        }
    }
}
