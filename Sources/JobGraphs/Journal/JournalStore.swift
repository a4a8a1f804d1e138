// SPDX-License-Identifier: MIT

package import RestEssentials
package import SharedStore
import Synchronization

package final class JournalStore: Sendable {
    private struct State {
        var directory: URL?
        var timing = RunTiming()
        /// The life of this runtime in the store; `nil` until a journal is used.
        var life: RunLife?
        var backing: (any BasicBacking)?
        /// True if nobody else can have the rows.
        var isAlone: Bool { directory == nil && !isGiven }
        var isGiven = false
    }

    private let state = Mutex(State())
    private let clock: RuntimeClock
    private let now: @Sendable () -> Date
    private let isSecret: SecretMember.Rule

    init(clock: RuntimeClock, now: @escaping @Sendable () -> Date, isSecret: @escaping SecretMember.Rule) {
        self.clock = clock
        self.now = now
        self.isSecret = isSecret
    }

    /// Stores journals in a directory from now on; runs that are under way keep their store.
    package func use(_ directory: URL, timing: RunTiming = RunTiming()) {
        state.withLock { $0 = State(directory: directory, timing: timing) }
    }

    /// Stores journals on an engine from now on, which others may use too.
    package func use(_ backing: any BasicBacking, timing: RunTiming = RunTiming()) {
        state.withLock { $0 = State(timing: timing, backing: backing, isGiven: true) }
    }

    /// Returns the journals of a scope, which are in memory, and shared by runtimes with the same directory; itself
    /// outside of scopes.
    func inside(_ states: ScopedStates?) -> JournalStore {
        guard let states else {
            return self
        }
        let path = state.withLock { $0.directory?.standardizedFileURL.path }
        return states.state(of: path == nil ? self : nil, named: path ?? "") {
            JournalStore(clock: self.clock, now: self.now, isSecret: self.isSecret)
        }
    }

    /// Returns the rows; the file is only created when a journal is used.
    func rows() throws -> JournalRows {
        let (existing, directory) = state.withLock { ($0.backing, $0.directory) }
        if let existing {
            return JournalRows(existing, isSecret: isSecret)
        }
        let opened = try Self.open(directory)
        let kept = state.withLock { state -> (any BasicBacking)? in
            if state.backing == nil, state.directory == directory {
                state.backing = opened
            }
            return state.backing
        }
        // Another task may have opened the same file meanwhile.
        return JournalRows(kept ?? opened, isSecret: isSecret)
    }

    private static func open(_ directory: URL?) throws(StoreError) -> any BasicBacking {
        guard let directory else {
            return MemoryBacking()
        }
        var options = SQLiteBacking.Options()
        // A record that precedes unsafe work must survive a power failure.
        options.survivesPowerLoss = true
        return try SQLiteBacking(
            file: directory.appendingPathComponent("journal.sqlite").path,
            kind: .journal,
            options: options
        )
    }

    /// Returns what this runtime holds in the store.
    func life() throws -> RunLife {
        let rows = try rows()
        return state.withLock { state in
            if let life = state.life {
                return life
            }
            let life = RunLife(
                rows,
                in: state.directory,
                isAlone: state.isAlone,
                clock: clock,
                now: now,
                timing: state.timing
            )
            state.life = life
            return life
        }
    }

    /// True if a claim of a run that nobody works here may still have its row, because the store failed.
    package var hasLeftovers: Bool { state.withLock(\.life)?.hasLeftovers ?? false }

    // MARK: - Use

    func using<Value: Sendable>(
        _ journal: String,
        _ work: (JournalRows) async throws -> Value
    ) async throws -> Value {
        let rows = try await enter(journal)
        let result: Result<Value, any Error>
        do {
            result = .success(try await work(rows))
        } catch {
            result = .failure(error)
        }
        await rows.leave()
        return try result.get()
    }

    /// Claims a journal, and returns its rows, which write under the claim.
    func enter(_ journal: String) async throws -> JournalRows {
        let claim = try await life().claim(journal)
        return claim.life.rows.claimed(by: claim)
    }
}

extension JournalRows {
    /// Gives the claim back, unless the run has ended it.
    func leave() async {
        if let claim {
            // It has a task of its own, because the run's task may be cancelled.
            await Task { await claim.life.release(claim) }.value
        }
    }
}
