// SPDX-License-Identifier: MIT

package import RestEssentials
package import SharedStore
import Synchronization

package final class JournalStore: Sendable {
    private struct State {
        var directory: URL?
        var backing: (any BasicBacking)?
        /// The journals that runs of this runtime use now, each with the lock that excludes other runtimes and
        /// processes.
        var inUse: [String: FileLock?] = [:]
    }

    private let state = Mutex(State())
    private let isSecret: SecretMember.Rule

    init(isSecret: @escaping SecretMember.Rule) {
        self.isSecret = isSecret
    }

    /// Stores journals in a directory from now on; runs that are under way keep their store.
    package func use(_ directory: URL) {
        state.withLock { $0 = State(directory: directory, inUse: $0.inUse) }
    }

    /// Stores journals on an engine from now on; no other runtime or process is excluded from it.
    package func use(_ backing: any BasicBacking) {
        state.withLock { $0 = State(backing: backing, inUse: $0.inUse) }
    }

    /// Returns the journals of a scope, which are in memory, and shared by runtimes with the same directory; itself
    /// outside of scopes.
    func inside(_ states: ScopedStates?) -> JournalStore {
        guard let states else {
            return self
        }
        let path = state.withLock { $0.directory?.standardizedFileURL.path }
        return states.state(of: path == nil ? self : nil, named: path ?? "") { JournalStore(isSecret: self.isSecret) }
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

    // MARK: - Use

    func using<Value: Sendable>(
        _ journal: String,
        _ work: (JournalRows) async throws -> Value
    ) async throws -> Value {
        try enter(journal)
        defer { leave(journal) }
        return try await work(try rows())
    }

    func enter(_ journal: String) throws {
        let directory = try state.withLock { state -> URL? in
            guard state.inUse[journal] == nil else {
                throw Self.inUse(journal)
            }
            state.inUse[journal] = .some(nil)
            return state.directory
        }
        guard let directory else {
            return
        }
        do {
            // A failure is ignored here: the lock, which comes next, reports it.
            try? PrivateFolder.create(at: directory)
            let file = "journal-\(ResultCoding.digest([journal]).prefix(16)).lock"
            guard let lock = try FileLock.acquire(directory.appendingPathComponent(file).path) else {
                throw Self.inUse(journal)
            }
            state.withLock { $0.inUse[journal] = .some(lock) }
        } catch {
            leave(journal)
            throw error
        }
    }

    /// Releases a journal; its name is freed last, so that the lock is free when the name is acquired again.
    func leave(_ journal: String) {
        let lock = state.withLock { $0.inUse[journal] }
        lock??.release()
        state.withLock { _ = $0.inUse.removeValue(forKey: journal) }
    }

    private static func inUse(_ journal: String) -> JobGraphError {
        JobGraphError(
            .journalInUse,
            "a run with the journal '\(journal)' is under way, here or in another process; wait for its end, or use another "
                + "name"
        )
    }
}
