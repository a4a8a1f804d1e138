// SPDX-License-Identifier: MIT

import RestEssentials
import SharedStore
import Synchronization

// How the runs of dead processes are found, and made ready again; and how runs that ended long ago are dropped.

extension RunLife {
    /// Waits until nobody holds a run any more, and throws if somebody does.
    func free(_ run: String, _ row: Row) async throws {
        let record = JournalRows.claim(in: row.attributes)
        let own = state.withLock { $0.life?.id }
        guard let record else {
            // A damaged row is nobody's.
            let step = RowStep.remove(key: JournalRows.claim(run), condition: .version(row.version))
            _ = try await rows.backing.commit([step], in: .journal)
            return
        }
        guard record.life != own, !isAlone else {
            // Nobody holds it: it could not be given back.
            return try await giveBack(run, row.version, record)
        }
        guard let life = try await rows.backing.summary(JournalRows.life(record.life), in: .journal) else {
            return try await giveBack(run, row.version, record)
        }
        if let file = lockFile(of: record.life) {
            guard let lock = try FileLock.acquire(file) else {
                throw Self.inUse(run)
            }
            defer { lock.release() }
            return try await takeOver(record.life, life.version)
        }
        var observer = LifeObserver()
        while true {
            let lives = try await rows.lives().filter { $0.id == record.life }
            if let dead = observer.look(at: lives, now: clock.now(), timing).first {
                return try await takeOver(dead.id, dead.version)
            }
            let claim = try await rows.backing.summary(JournalRows.claim(run), in: .journal)
            guard claim?.version == row.version, let current = lives.first else {
                return
            }
            guard current.version == life.version else {
                throw Self.inUse(run)
            }
            try await clock.sleep(for: timing.look)
        }
    }

    /// Takes over the lives whose rows did not change for a lease, or whose processes are dead.
    func observe() async throws {
        let own = state.withLock { $0.life?.id }
        try await takeOverTheDead(except: own)
        let others = try await rows.lives().filter { $0.id != own }
        let time = clock.now()
        for dead in state.withLock({ $0.observer.look(at: others, now: time, timing) }) {
            try await takeOver(dead.id, dead.version)
        }
    }

    /// Returns the file whose lock a life holds; `nil` without a directory, or for what is no identifier.
    func lockFile(of id: String) -> String? {
        guard id.utf8.count == 16, id.utf8.allSatisfy("0123456789abcdef".utf8.contains) else {
            return nil
        }
        return directory?.appendingPathComponent("life-\(id).lock").path
    }

    /// Takes over the lives whose kernel locks are free.
    func takeOverTheDead(except own: String?) async throws {
        guard directory != nil else {
            return
        }
        for life in try await rows.lives() where life.id != own {
            if let file = lockFile(of: life.id), let lock = try FileLock.acquire(file) {
                defer { lock.release() }
                try await takeOver(life.id, life.version)
            }
        }
    }

    /// Makes the runs of a dead life ready again, in one commit with the end of that life: a late beat spoils it, or
    /// finds nothing.
    private func takeOver(_ life: String, _ version: UInt64) async throws {
        var steps = [RowStep.remove(key: JournalRows.life(life), condition: .version(version))]
        for (run, record, row) in try await rows.claims() where record.life == life {
            steps.append(.remove(key: row.key, condition: .version(row.version)))
            guard let place = record.place else {
                continue
            }
            let deaths = record.deaths + 1
            if deaths < JournalRows.mostDeaths {
                steps.append(try JournalRows.enqueue(run, at: place, deaths: deaths, now: now()))
            } else if var head = try? await rows.head(of: run) {
                head.status = .failed
                head.deaths = deaths
                head.reason =
                    "the process that worked it died \(deaths) times; see what it does, then call journals.retry"
                steps.append(try JournalRows.refresh(head, of: run, at: now()))
            }
        }
        _ = try await rows.backing.commit(steps, in: .journal)
    }
}

// MARK: - Runs that ended long ago

extension RunLife {
    /// Drops what ended long ago, now and each hour, until the task is cancelled.
    func sweepUntilCancelled() async {
        repeat {
            // What fails now is tried again, here or by another worker.
            try? await sweep()
        } while (try? await clock.sleep(for: timing.sweep)) != nil
    }

    /// Drops the runs of queues that ended long ago, unless something of them awaits a decision or a compensation.
    func sweep() async throws {
        for row in try await rows.summaries(JournalRows.headPrefix) where isOld(row) {
            let run = JournalRows.rest(of: row.key, after: JournalRows.headPrefix)
            guard !Task.isCancelled, try await rows.backing.summary(JournalRows.claim(run), in: .journal) == nil else {
                continue
            }
            // Without a claim, a late removal would take the records of a successor.
            guard let claim = try? await self.claim(run) else {
                continue
            }
            let claimed = rows.claimed(by: claim)
            do {
                if let head = try await rows.backing.summary(row.key, in: .journal), isOld(head),
                    let contents = try await rows.contents(of: run), contents.isSettled
                {
                    try await claimed.drop(run)
                }
                await claimed.leave()
            } catch {
                await claimed.leave()
                throw error
            }
        }
    }

    /// Returns true for the head of a run of a queue whose end is long ago.
    private func isOld(_ row: RowSummary) -> Bool {
        let run = JournalRows.rest(of: row.key, after: JournalRows.headPrefix)
        guard row.attributes.storedAt.addingTimeInterval(timing.keep.timeInterval) <= now(),
            let head = try? JournalRows.head(in: row.attributes, of: run)
        else {
            return false
        }
        return head.place != nil && head.status != .running
    }
}
