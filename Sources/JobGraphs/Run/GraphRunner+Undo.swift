// SPDX-License-Identifier: MIT

import Synchronization

extension GraphRunner {
    /// Compensates the nodes that succeeded, the last one first: in a run with a journal, also those that succeeded in
    /// an earlier process and that this run has not reached.
    func compensate(_ status: RunReport.Outcome) async -> [GraphRun.CompensationResult] {
        guard let session = engine.settings.session else {
            let completed = engine.state.withLock { $0.records.completed }
            return await compensate(completed.reversed().filter { graph.compensations[$0] != nil })
        }
        // It has a task of its own, because the run's task may be cancelled.
        let (places, stored, unread) = await Task { await finished(session) }.value
        let undecided = unread.compactMap { failed($0.place, $0.error) }
        guard !places.isEmpty else {
            return undecided
        }
        let failure = engine.state.withLock { state in
            state.machine.firstFailure.flatMap { state.records.results[$0].error }
        }
        let undo = JournalUndo(
            status: status.rawValue,
            reason: failure.map(engine.runtime.words) ?? "",
            nodes: places.map { graph.nodes[$0].name }
        )
        do {
            // It has a task of its own, because the run's task may be cancelled.
            try await Task { try await session.ledger.begin(undo, at: session.path) }.value
        } catch {
            // A compensation without a record would start over after a crash.
            return places.compactMap { failed($0, error) } + undecided
        }
        return await compensate(places, stored) + undecided
    }

    /// Returns the nodes to compensate, in that order, the stored results that this run has not read, and the nodes of
    /// which it is not known whether to compensate them.
    private func finished(
        _ session: JournalSession
    ) async -> (places: [Int], stored: [Int: NodeResult], unread: [(place: Int, error: any Error)]) {
        var records: [Int: JournalRecord] = [:]
        for place in graph.compensations.keys {
            if let record = session.record(of: graph.nodes[place]), record.state == .finished {
                records[place] = record
            }
        }
        var (places, stored): ([Int], [Int: NodeResult]) = ([], [:])
        var unread: [(place: Int, error: any Error)] = []
        for place in lastFirst(records.mapValues(\.validOrdinal)) {
            if let record = records[place], !engine.result(of: place).isSuccess {
                do {
                    stored[place] = .success(try await session.result(of: graph.nodes[place]))
                    try await session.use(record, of: graph.nodes[place])
                } catch  where record.decision != nil {
                    // A person can still decide otherwise, so it is not known what to compensate.
                    unread.append((place, error))
                    continue
                } catch {
                    stored[place] = .failure(error)
                }
            }
            places.append(place)
        }
        for place in otherInputs(of: places) where !engine.result(of: place).isSuccess {
            stored[place] = (try? await session.result(of: graph.nodes[place])).map(NodeResult.success)
        }
        return (places, stored, unread)
    }

    /// Sorts nodes so that the last one to finish is the first, and each one follows all that depend on it: a node that
    /// ran again counts as finished before those that depended on its former result.
    private func lastFirst(_ ordinals: [Int: Int]) -> [Int] {
        let topology = engine.program.topology
        let order = topology.sorted
        var latest = [Int](repeating: 0, count: graph.count)
        for place in order {
            latest[place] = max(latest[place], ordinals[place] ?? 0)
            for link in topology.links(from: place) {
                latest[Int(link.target)] = max(latest[Int(link.target)], latest[place])
            }
        }
        return order.enumerated()
            .filter { ordinals[$0.element] != nil }
            .sorted { (latest[$0.element], $0.offset) > (latest[$1.element], $1.offset) }
            .map(\.element)
    }

    private func otherInputs(of places: [Int]) -> Set<Int> {
        Set(places.flatMap { graph.compensations[$0]?.inputs ?? [] }).subtracting(places)
    }

    /// Compensates nodes in the given order, in a separate task, because the run's task may be cancelled.
    private func compensate(
        _ places: [Int],
        _ stored: [Int: NodeResult] = [:]
    ) async -> [GraphRun.CompensationResult] {
        guard !places.isEmpty else {
            return []
        }
        return await Task {
            var results: [GraphRun.CompensationResult] = []
            for place in places where !engine.isHalted {
                if let compensation = graph.compensations[place] {
                    results.append(await run(compensation, of: place, stored))
                }
            }
            return results
        }
        .value
    }

    private func run(
        _ compensation: Compensation,
        of place: Int,
        _ stored: [Int: NodeResult]
    ) async -> GraphRun.CompensationResult {
        let clock = engine.runtime.clock
        let started = clock.now()
        let note = JobNote()
        var own = NodeContext(engine: engine, index: place)
        own.note = note
        own.deadline = compensation.timeout.map { started + $0 }
        own.stored = stored
        let context = own
        let span = engine.spans?.begin(compensation.name, .node(.compensation))
        let outcome = await span.surround {
            await JobOutcome<Void>
                .of {
                    guard let session = engine.settings.session else {
                        return try await compensation.perform(context)
                    }
                    try await session.compensate(place, by: compensation.name, context) {
                        try await compensation.perform($0)
                    }
                }
        }
        span?.end(TracedWork.End(outcome.erased, note.all))
        return GraphRun.CompensationResult(
            name: compensation.name,
            node: graph.nodes[place].name,
            outcome: outcome,
            started: started - engine.start,
            ended: clock.now() - engine.start,
            note: note.all
        )
    }

    private func failed(_ place: Int, _ error: any Error) -> GraphRun.CompensationResult? {
        let now = engine.runtime.clock.now() - engine.start
        return graph.compensations[place]
            .map { compensation in
                GraphRun.CompensationResult(
                    name: compensation.name,
                    node: graph.nodes[place].name,
                    outcome: .failure(error),
                    started: now,
                    ended: now
                )
            }
    }
}

// MARK: - After a crash

extension GraphRunner {
    /// The remaining compensations of an earlier run that did not succeed and whose process ended meanwhile.
    struct Rest: Sendable {
        fileprivate let places: [Int]
        fileprivate let stored: [Int: NodeResult]
        fileprivate let status: RunReport.Outcome
        fileprivate let error: JobGraphError
    }

    /// Reads the remaining compensations of an earlier run; `nil` when the graph may run.
    func rest() async throws -> Rest? {
        guard let session = engine.settings.session, let undo = session.ledger.undo(at: session.path) else {
            return nil
        }
        let places = try undo.nodes.map { try place(of: $0, session) }
        for place in places {
            adopt(try await session.result(of: graph.nodes[place]), at: place)
        }
        // The other inputs of compensations; without them the compensations fail, and report it.
        var stored: [Int: NodeResult] = [:]
        for place in otherInputs(of: places) {
            guard let value = try? await session.result(of: graph.nodes[place]) else {
                continue
            }
            if undo.undone?.contains(graph.nodes[place].name) == true {
                // Its result is there for the others, but the run does not have it any more.
                stored[place] = .success(value)
            } else {
                adopt(value, at: place)
            }
        }
        return Rest(
            places: places,
            stored: stored,
            status: RunReport.Outcome(rawValue: undo.status) ?? .failure,
            error: Self.error(undo, session)
        )
    }

    private func adopt(_ value: any Sendable, at place: Int) {
        let note = JobNote()
        note.update { $0.isResumed = true }
        engine.state.withLock { $0.records.adopt(value, note, of: place) }
    }

    func compensate(_ rest: Rest) async -> GraphRun {
        for place in graph.nodes.indices where engine.announcesNodes {
            engine.announceEnd(
                of: place,
                engine.result(of: place),
                engine.state.withLock { $0.records.note(of: place) }
            )
        }
        let compensations = await compensate(rest.places, rest.stored)
        return GraphRun(graph, engine, status: rest.status, compensations: compensations, cause: rest.error)
    }

    private func place(of name: String, _ session: JournalSession) throws(JobGraphError) -> Int {
        guard let place = graph.nodes.firstIndex(where: { $0.name == name }), graph.compensations[place] != nil else {
            throw JobGraphError(
                .journalUnreadable,
                "the run '\(session.ledger.journal.name)' is being compensated, and the graph '\(graph.name)' "
                    + "has no compensation for the node '\(name)'; nothing was changed. Run the graph of that run, or drop the journal"
            )
        }
        return place
    }

    private static func error(_ undo: JournalUndo, _ session: JournalSession) -> JobGraphError {
        JobGraphError(
            .runCompensated,
            "the run '\(session.ledger.journal.name)' had not succeeded (\(undo.status)"
                + (undo.reason.isEmpty ? "" : ": \(undo.reason)")
                + ") and its compensation was interrupted; this run resumed it and ran nothing else. See "
                + "its compensations; when all have succeeded, the next run goes forward again"
        )
    }
}
