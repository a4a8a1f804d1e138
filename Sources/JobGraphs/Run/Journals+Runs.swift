// SPDX-License-Identifier: MIT

import RestEssentials
import SharedStore

extension Journals {
    /// Waits for the end of a run, whichever process works it.
    ///
    /// - Parameter run: The name of the run.
    /// - Returns: The run, which has succeeded or failed.
    /// - Throws: ``JobGraphError`` with the code ``JobGraphError/Code-swift.struct/unknownJournal`` when there is no
    ///   such run; `CancellationError` when the task is cancelled; `StoreError` when the file cannot be read.
    @concurrent
    public func ended(_ run: String) async throws -> JournalledRun {
        let life = try runtime.journals.life()
        var pause = Duration.milliseconds(5)
        while try await head(of: run, life.rows).head.status == .running {
            try await life.clock.sleep(for: pause)
            pause = min(pause * 2, life.timing.look)
        }
        guard let contents = try await life.rows.contents(of: run) else {
            throw Self.unknown(run)
        }
        return JournalledRun(run, contents)
    }

    /// Cancels a run that waits, or that any process works.
    ///
    /// One that waits and has done nothing ends at once. Else the process that works it, or the worker that takes it
    /// next, hears within a second, cancels its nodes, and compensates those that have finished.
    ///
    /// - Parameter run: The name of the run.
    /// - Returns: True if it waited or was under way; false if it has ended.
    /// - Throws: ``JobGraphError`` with the code ``JobGraphError/Code-swift.struct/unknownJournal`` when there is no
    ///   such run; `StoreError` when the file cannot be written.
    @concurrent
    @discardableResult
    public func cancel(_ run: String) async throws -> Bool {
        let life = try runtime.journals.life()
        let rows = life.rows
        let wish = try JournalRows.wish(toCancel: run, at: runtime.now())
        while true {
            var (head, version) = try await head(of: run, rows)
            let claim = try await rows.backing.summary(JournalRows.claim(run), in: .journal)
            let isClaimed = RowStep.check(
                key: JournalRows.claim(run),
                condition: claim.map { .version($0.version) } ?? .absent
            )
            var steps = [isClaimed, .check(key: JournalRows.head(run), condition: .version(version))]
            if claim != nil {
                steps.append(wish)
            } else if let place = head.place, head.status == .running {
                steps.append(.remove(key: place.key(of: run), condition: .any))
                if try await rows.hasRecords(of: run) {
                    let now = QueuePlace(place.graph, due: .distantPast)
                    head.place = now
                    steps += [wish, try JournalRows.enqueue(run, at: now, now: runtime.now())]
                } else {
                    head.status = .failed
                    head.reason = "it was cancelled before it began"
                }
                steps.append(try JournalRows.refresh(head, of: run, at: runtime.now()))
            } else {
                return false
            }
            if case .committed = try await rows.backing.commit(steps, in: .journal) {
                _ = life.cancel(run)
                return true
            }
        }
    }

    /// Makes a run of a durable graph that has failed ready again: it goes on with its stored results.
    ///
    /// Decide first what came of unsafe work whose outcome is unknown: ``unresolved(in:)``.
    ///
    /// - Parameter run: The name of the run.
    /// - Returns: True if it had failed; false if it waits, is under way, or has succeeded.
    /// - Throws: ``JobGraphError`` with the code ``JobGraphError/Code-swift.struct/unknownJournal`` when there is no
    ///   such run, or when it was not enqueued: then run its graph again; `StoreError` when the file cannot be written.
    @concurrent
    @discardableResult
    public func retry(_ run: String) async throws -> Bool {
        let rows = try runtime.journals.rows()
        while true {
            var (head, version) = try await head(of: run, rows)
            guard head.status == .failed else {
                return false
            }
            guard let place = head.place else {
                throw JobGraphError(
                    .unknownJournal,
                    "the run '\(run)' was not enqueued, so no worker knows its graph; run the graph '\(head.graph)' with "
                        + "the journal again"
                )
            }
            let now = QueuePlace(place.graph, due: runtime.now())
            (head.status, head.place, head.reason, head.deaths) = (.running, now, nil, nil)
            let steps = [
                .check(key: JournalRows.head(run), condition: .version(version)),
                .check(key: JournalRows.claim(run), condition: .absent),
                .remove(key: JournalRows.cancellation(run), condition: .any),
                .remove(key: place.key(of: run), condition: .any),
                try JournalRows.refresh(head, of: run, at: runtime.now()),
                try JournalRows.enqueue(run, at: now, now: runtime.now()),
            ]
            if case .committed = try await rows.backing.commit(steps, in: .journal) {
                return true
            }
        }
    }

    private func head(of run: String, _ rows: JournalRows) async throws -> (head: JournalHead, version: UInt64) {
        guard let head = try await rows.versionedHead(of: run) else {
            throw Self.unknown(run)
        }
        return head
    }

    private static func unknown(_ run: String) -> JobGraphError {
        JobGraphError(
            .unknownJournal,
            "there is no run '\(run)'; journals.list() has the names of those that exist"
        )
    }
}
