// SPDX-License-Identifier: MIT

import RestEssentials
import SharedStore
import Synchronization

/// The life of one process in one store, whose row it beats, and the claims of that life.
///
/// A life trusts itself from before it sent its last beat until its lease has passed, less a margin. Whoever sees its
/// row unchanged for a whole lease takes its runs over, on condition of that version: a late beat then finds no row,
/// and a late write no claim. On a directory, a kernel lock proves sooner that the process is dead.
final class RunLife: Sendable {
    struct Life: Sendable {
        let id: String
        var version: UInt64?
        var lock: FileLock?
    }

    struct State {
        var life: Life?
        var trustedUntil: Duration?
        var lastBeat = Duration.zero
        var beats = 0
        var beating: Task<Void, any Error>?
        /// The runs that this process claims; `nil` while it asks for the claim, or gives it back.
        var claims: [String: RunClaim?] = [:]
        /// The claims that may still have rows although nobody works their runs: the store failed.
        var leftovers: [String: ClaimRecord] = [:]
        /// The graphs that the workers of this process offer.
        var offers: [UInt64: [String]] = [:]
        var lastOffer: UInt64 = 0
        var observer = LifeObserver()
        var ticker: Task<Void, Never>?

        var isNeeded: Bool { !claims.isEmpty || !leftovers.isEmpty || !offers.isEmpty }
    }

    let rows: JournalRows
    let clock: RuntimeClock
    let timing: RunTiming
    let directory: URL?
    /// True if the rows are in the memory of this object's owner: there is nobody else, and no need to beat.
    let isAlone: Bool
    let now: @Sendable () -> Date
    private let name = "\(ProcessInfo.processInfo.hostName) \(ProcessInfo.processInfo.processIdentifier)"
    let state = Mutex(State())

    init(
        _ rows: JournalRows,
        in directory: URL?,
        isAlone: Bool,
        clock: RuntimeClock,
        now: @escaping @Sendable () -> Date,
        timing: RunTiming
    ) {
        self.rows = rows
        self.directory = directory
        self.isAlone = isAlone
        self.clock = clock
        self.now = now
        self.timing = timing
    }

    // MARK: - Trust

    /// The time after which to look again whether the life may trust itself; `nil` if it may.
    var timeToTrust: Duration? {
        guard !isAlone else {
            return nil
        }
        let time = clock.now()
        return state.withLock { $0.trustedUntil.map { time < $0 } ?? false } ? nil : .milliseconds(20)
    }

    /// Begins a life, or renews one that no longer trusts itself.
    private func ensureTrust() async throws {
        while timeToTrust != nil {
            try await beat()
        }
    }

    /// Beats once, however many ask for it.
    private func beat() async throws {
        let task = state.withLock { state in
            let task = state.beating ?? Task { try await self.beatOnce() }
            state.beating = task
            return task
        }
        try await task.value
    }

    private func beatOnce() async throws {
        defer { state.withLock { $0.beating = nil } }
        while true {
            let life = try await currentLife()
            let (beat, graphs) = state.withLock { state in
                state.beats += 1
                return (state.beats, Set(state.offers.values.joined()).sorted())
            }
            let key = JournalRows.life(life.id)
            let record = LifeRecord(name: name, graphs: graphs, beat: beat)
            let condition = life.version.map(RowCondition.version) ?? .absent
            let sent = clock.now()
            let put = try JournalRows.put(key, record, at: now(), condition: condition)
            if case .committed(let version, _, _) = try await rows.backing.commit([put], in: .journal) {
                state.withLock { state in
                    state.life?.version = version
                    state.lastBeat = sent
                    state.trustedUntil = sent + timing.lease - timing.margin
                }
                return
            }
            if let row = try await rows.backing.summary(key, in: .journal) {
                // Nobody else writes it: the response to an earlier beat was lost.
                state.withLock { $0.life?.version = row.version }
            } else {
                lose()
            }
        }
    }

    private func currentLife() async throws -> Life {
        if let life = state.withLock(\.life) {
            return life
        }
        let id = Self.text(UInt64.random(in: .min ... .max))
        var lock: FileLock?
        if let directory {
            // A failure is ignored here: the lock, which comes next, reports it.
            try? PrivateFolder.create(at: directory)
            lock = try lockFile(of: id).flatMap { try FileLock.acquire($0) }
            // Nobody else may look for the dead as long as there is no worker.
            try await takeOverTheDead(except: id)
        }
        let life = Life(id: id, lock: lock)
        state.withLock { $0.life = life }
        return life
    }

    private static func text(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// Ends the life, because its row is gone: others have its runs.
    private func lose() {
        let (claims, lock) = state.withLock { state in
            let lock = state.life?.lock
            state.life = nil
            state.trustedUntil = nil
            state.leftovers = [:]
            stopIfIdle(&state)
            return (state.claims.values.compactMap { $0 }, lock)
        }
        for claim in claims {
            claim.lose()
        }
        lock?.release()
    }

    // MARK: - Claims

    private enum Attempt {
        case claimed(RunClaim)
        case held(Row)
        /// The run is no longer in the queue.
        case missed
    }

    /// Claims a run for its caller, who takes it over if its process has died.
    func claim(_ run: String) async throws -> RunClaim {
        guard reserve(run) else {
            throw Self.inUse(run)
        }
        do {
            while true {
                switch try await attempt(run) {
                case .claimed(let claim): return claim
                case .held(let row): try await free(run, row)
                case .missed: try await beat()
                }
            }
        } catch {
            unreserve(run)
            throw error
        }
    }

    /// Claims a run of a queue; `nil` if somebody else was faster.
    func claim(_ queued: QueuedRun) async throws -> RunClaim? {
        guard reserve(queued.run) else {
            return nil
        }
        do {
            if case .claimed(let claim) = try await attempt(queued.run, queued) {
                return claim
            }
            unreserve(queued.run)
            return nil
        } catch {
            unreserve(queued.run)
            throw error
        }
    }

    private func reserve(_ run: String) -> Bool {
        state.withLock { state in
            guard state.claims[run] == nil else {
                return false
            }
            state.claims.updateValue(nil, forKey: run)
            return true
        }
    }

    private func unreserve(_ run: String) {
        state.withLock { state in
            state.claims.removeValue(forKey: run)
            stopIfIdle(&state)
        }
    }

    private func attempt(_ run: String, _ queued: QueuedRun? = nil) async throws -> Attempt {
        try await ensureTrust()
        let life = state.withLock(\.life)
        var record = ClaimRecord(life: life?.id ?? "", worker: name)
        record.deaths = queued?.deaths ?? 0
        record.place = queued?.place
        let key = JournalRows.claim(run)
        var steps = [try JournalRows.put(key, record, at: now(), condition: .absent)]
        if let life, let version = life.version {
            // A claim that is committed after its life has been taken over would belong to nobody.
            steps.append(.check(key: JournalRows.life(life.id), condition: .version(version)))
        }
        if let queued {
            steps.append(.remove(key: queued.place.key(of: run), condition: .version(queued.version)))
        } else {
            // Whoever calls for the run again wants it.
            steps.append(.remove(key: JournalRows.cancellation(run), condition: .any))
        }
        let commit: RowCommit
        do {
            commit = try await rows.backing.commit(steps, in: .journal)
        } catch {
            // It may have been written all the same.
            remember(record, of: run, after: error)
            throw error
        }
        switch commit {
        case .committed(let version, _, _):
            return .claimed(keep(RunClaim(run, token: version, record, of: self)))
        case .conflict:
            guard let row = try await rows.backing.row(key, in: .journal) else {
                // The life has beaten meanwhile, or the run has ended.
                return .missed
            }
            if JournalRows.claim(in: row.attributes) == record {
                // The response to the commit was lost.
                return .claimed(keep(RunClaim(run, token: row.version, record, of: self)))
            }
            return .held(row)
        }
    }

    private func keep(_ claim: RunClaim) -> RunClaim {
        let isLost = state.withLock { state in
            state.claims[claim.run] = claim
            startTicking(&state)
            return !isAlone && state.life?.id != claim.record.life
        }
        if isLost {
            claim.lose()
        }
        return claim
    }

    func forget(_ claim: RunClaim) {
        state.withLock { state in
            if let held = state.claims[claim.run], held === claim {
                state.claims.removeValue(forKey: claim.run)
                stopIfIdle(&state)
            }
        }
        claim.silence()
    }

    /// Gives a claim back without an end; a run of a queue is ready again.
    func release(_ claim: RunClaim) async {
        defer { forget(claim) }
        guard !claim.isOver else {
            return
        }
        do {
            try await giveBack(claim.run, claim.token, claim.record)
        } catch {
            remember(claim.record, of: claim.run, after: error)
        }
    }

    /// Remembers a claim whose row the next beats remove, because the store failed.
    private func remember(_ record: ClaimRecord, of run: String, after error: any Error) {
        guard (error as? StoreError)?.code != .closed else {
            // Nobody in this process can write any more.
            return
        }
        state.withLock { state in
            state.leftovers[run] = record
            startTicking(&state)
        }
    }

    var hasLeftovers: Bool { state.withLock { !$0.leftovers.isEmpty } }

    func giveBack(_ run: String, _ token: UInt64, _ record: ClaimRecord) async throws {
        var steps = [RowStep.remove(key: JournalRows.claim(run), condition: .version(token))]
        if let place = record.place {
            steps.append(try JournalRows.enqueue(run, at: place, deaths: record.deaths, now: now()))
        }
        // A conflict says that somebody has taken it over.
        _ = try await rows.backing.commit(steps, in: .journal)
    }

    static func inUse(_ run: String) -> JobGraphError {
        JobGraphError(
            .journalInUse,
            "a run with the journal '\(run)' is under way, here or in another process; wait for its end, or use another "
                + "name"
        )
    }

    /// Tells the owner of a run in this process; false if it has none here.
    func cancel(_ run: String) -> Bool {
        guard let claim = state.withLock({ $0.claims[run] ?? nil }) else {
            return false
        }
        claim.send(.cancel)
        return true
    }

    // MARK: - Workers

    /// Announces the graphs of a worker, and begins to look for the dead.
    func beginOffer(_ graphs: [String]) async throws -> UInt64 {
        let offer = state.withLock { state in
            state.lastOffer += 1
            state.offers[state.lastOffer] = graphs
            startTicking(&state)
            return state.lastOffer
        }
        do {
            // The row of the life names the graphs at once.
            try await isAlone ? () : beat()
        } catch {
            await endOffer(offer)
            throw error
        }
        return offer
    }

    /// The graphs that the workers of this process offer.
    var offered: Set<String> { state.withLock { Set($0.offers.values.joined()) } }

    func endOffer(_ offer: UInt64) async {
        let ticker = state.withLock { state in
            let ticker = state.ticker
            state.offers[offer] = nil
            stopIfIdle(&state)
            return state.ticker == nil ? ticker : nil
        }
        // A beat that is under way would move the version.
        await ticker?.value
        _ = await state.withLock(\.beating)?.result
        let life = state.withLock { state -> Life? in
            guard !state.isNeeded else {
                return nil
            }
            defer { state.life = nil }
            state.trustedUntil = nil
            return state.life
        }
        if let life, let version = life.version {
            let step = RowStep.remove(key: JournalRows.life(life.id), condition: .version(version))
            _ = try? await rows.backing.commit([step], in: .journal)
        }
        life?.lock?.release()
    }

    // MARK: - Beats

    private func startTicking(_ state: inout State) {
        if state.ticker == nil, !isAlone {
            state.ticker = Task { await self.tick() }
        }
    }

    private func stopIfIdle(_ state: inout State) {
        if !state.isNeeded {
            state.ticker?.cancel()
            state.ticker = nil
        }
    }

    /// Beats, looks for what is to be cancelled and, for workers, for the dead, until nothing is held any more.
    private func tick() async {
        while (try? await clock.sleep(for: timing.look)) != nil {
            do {
                try await look()
            } catch let error as StoreError where error.code == .closed {
                // Nobody in this process can write any more.
                lose()
                state.withLock { $0.ticker = nil }
                return
            } catch {
                // The next look tries again; meanwhile trust ends by itself.
            }
        }
    }

    private func look() async throws {
        let time = clock.now()
        let (isDue, isWorker) = state.withLock { state in
            (time >= state.lastBeat + timing.beat || state.trustedUntil == nil, !state.offers.isEmpty)
        }
        if isDue {
            try await beat()
            await writeLeftovers()
            if isWorker {
                try await observe()
            }
        }
        try await cancelWhatIsWanted()
    }

    private func cancelWhatIsWanted() async throws {
        for row in try await rows.summaries(JournalRows.cancelPrefix) {
            _ = cancel(JournalRows.rest(of: row.key, after: JournalRows.cancelPrefix))
        }
    }

    private func writeLeftovers() async {
        for (run, record) in state.withLock({ state in state.leftovers.filter { state.claims[$0.key] == nil } }) {
            do {
                let row = try await rows.backing.summary(JournalRows.claim(run), in: .journal)
                if let row, JournalRows.claim(in: row.attributes) == record {
                    try await giveBack(run, row.version, record)
                }
                state.withLock { state in
                    state.leftovers[run] = nil
                    stopIfIdle(&state)
                }
            } catch {
                // The next beat tries again.
            }
        }
    }
}
