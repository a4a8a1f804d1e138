// SPDX-License-Identifier: MIT

package import RestEssentials
import SharedStore
import Synchronization

/// The journals of a runtime, on disk or in memory, and the names of those in use.
package final class JournalStore: Sendable {
    private struct State {
        var directory: URL?
        var backing: (any Backing)?
        /// The journals that runs of this manager use now, with what keeps other managers and processes out.
        var inUse: [String: FileLock?] = [:]
    }

    private let state = Mutex(State())

    /// Keeps journals in a directory from then on; runs that are under way stay where they are.
    package func use(_ directory: URL) {
        state.withLock { $0 = State(directory: directory, inUse: $0.inUse) }
    }

    /// The rows; the file is only made when someone uses a journal.
    func rows() throws -> JournalRows {
        let (existing, directory) = state.withLock { ($0.backing, $0.directory) }
        if let existing {
            return JournalRows(existing)
        }
        let opened = try Self.open(directory)
        let kept = state.withLock { state -> (any Backing)? in
            if state.backing == nil, state.directory == directory {
                state.backing = opened
            }
            return state.backing
        }
        // Another task may have opened the same file meanwhile.
        return JournalRows(kept ?? opened)
    }

    private static func open(_ directory: URL?) throws(StoreError) -> any Backing {
        guard let directory else {
            return MemoryBacking()
        }
        try? FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        var options = SQLiteBacking.Options()
        // What is written before an unsafe request goes out must be there even when the power fails.
        options.survivesPowerLoss = true
        return try SQLiteBacking(
            file: directory.appendingPathComponent("journal.sqlite").path,
            kind: .journal,
            options: options
        )
    }

    // MARK: - Use

    /// Uses a journal exclusively, in this process and among others.
    func using<Value: Sendable>(
        _ journal: String,
        _ work: (JournalRows) async throws -> Value
    ) async throws -> Value {
        try enter(journal)
        defer { leave(journal) }
        return try await work(try rows())
    }

    /// Takes a journal for exclusive use.
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
            // Whether it worked is said by the lock, which must be there in any case.
            try? FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
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

    /// Gives a journal back.
    func leave(_ journal: String) {
        let lock = state.withLock { $0.inUse.removeValue(forKey: journal) }
        lock??.release()
    }

    private static func inUse(_ journal: String) -> JobGraphError {
        JobGraphError(
            .journalInUse,
            "a run with the journal '\(journal)' is under way, here or in another process; wait for its end, or use another "
                + "name"
        )
    }
}
