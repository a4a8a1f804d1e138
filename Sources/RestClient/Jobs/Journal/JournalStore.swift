// SPDX-License-Identifier: MIT

import SharedStore
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Where journals are: the rows of one manager, on disk or in memory.
///
/// A run has one row of its own and one for each node that has begun. Names stand in keys with their lengths, so that no name
/// looks like the beginning of another one's.
final class JournalStore: Sendable {
    private struct State {
        var directory: URL?
        var backing: (any Backing)?
        /// The journals that runs of this process use now.
        var inUse: Set<String> = []
    }

    private let state = Mutex(State())

    /// Keeps journals in a directory from then on.
    func use(_ directory: URL) {
        state.withLock { $0 = State(directory: directory, inUse: $0.inUse) }
    }

    /// The rows; the file is only made when someone uses a journal.
    func backing() throws -> any Backing {
        let (existing, directory) = state.withLock { ($0.backing, $0.directory) }
        if let existing {
            return existing
        }
        let opened = try Self.open(directory)
        let kept = state.withLock { state -> (any Backing)? in
            if state.backing == nil, state.directory == directory {
                state.backing = opened
            }
            return state.backing
        }
        // Somebody else may have opened the same file meanwhile.
        return kept ?? opened
    }

    private static func open(_ directory: URL?) throws(StoreError) -> any Backing {
        guard let directory else {
            return MemoryBacking()
        }
        var options = SQLiteBacking.Options()
        // What is written before an unsafe request goes out must be there even when the power fails.
        options.synchronous = .full
        return try SQLiteBacking(
            file: directory.appendingPathComponent("journal.sqlite").path,
            kind: .journal,
            options: options
        )
    }

    /// Reserves a journal for one run of this process.
    func enter(_ name: String) throws {
        guard state.withLock({ $0.inUse.insert(name).inserted }) else {
            throw RestClientError(
                .journalInUse,
                "a run with the journal '\(name)' is under way; wait for its end, or use another name"
            )
        }
    }

    /// Gives a journal back.
    func leave(_ name: String) {
        state.withLock { _ = $0.inUse.remove(name) }
    }

    // MARK: Keys

    static func headKey(_ run: String) -> String { "r\(run)" }
    static func nodePrefix(_ run: String) -> String { "n\(run.utf8.count):\(run)/" }
    static func nodeKey(_ run: String, _ node: String) -> String { nodePrefix(run) + node }

    // MARK: Rows

    /// Every row below a prefix, without the values.
    func summaries(_ prefix: String) async throws -> [RowSummary] {
        let backing = try backing()
        var all: [RowSummary] = []
        while true {
            let page = try await backing.summaries(
                in: .journal,
                prefix: prefix,
                tag: nil,
                after: all.last?.key,
                limit: 512
            )
            all += page
            if page.count < 512 {
                return all
            }
        }
    }

    func row(_ key: String) async throws -> Row? {
        try await backing().row(key, in: .journal)
    }

    func put(_ key: String, value: Data, metadata: Data, at date: Date) async throws {
        let attributes = RowAttributes(metadata: metadata, storedAt: date)
        _ = try await backing()
            .commit([.put(key: key, value: value, attributes: attributes, condition: .any)], in: .journal)
    }

    func remove(_ keys: [String]) async throws {
        guard !keys.isEmpty else {
            return
        }
        _ = try await backing().commit(keys.map { .remove(key: $0, condition: .any) }, in: .journal)
    }

    /// Removes everything about a run, or only what is kept about its nodes.
    func removeRun(_ run: String, keepsHead: Bool) async throws {
        _ = try await backing().remove(.prefix(Self.nodePrefix(run)), in: .journal)
        if !keepsHead {
            try await remove([Self.headKey(run)])
        }
    }
}
