// SPDX-License-Identifier: MIT

package import RestEssentials
package import SharedStore
import Synchronization

/// The engine of one process on the rows of a disk, which outlives the process.
///
/// Writes reach the disk later and in their order; some are refused. The writes that are under way when the process
/// dies are lost.
package final class SimulatedDisk: Backing {
    private struct State {
        var generator: SplitMix64
        var weather: Weather
        var isDead = false
        /// When the writes that are under way will have reached the disk.
        var end = Duration.zero
        var queue: [@Sendable () -> Void] = []
        var failures = 0
    }

    private let rows: MemoryBacking
    private let state: Mutex<State>

    /// Opens the rows for one process.
    init(_ rows: MemoryBacking, seed: UInt64, weather: Weather) {
        self.rows = rows
        state = Mutex(State(generator: SplitMix64(seed: seed), weather: weather))
    }

    /// The number of writes that were refused.
    var failures: Int { state.withLock { $0.failures } }

    /// Ends the process that uses it: nothing reaches the disk any more.
    func die() {
        state.withLock { $0.isDead = true }
    }

    package var isShared: Bool { false }
    package func observeForeignCommits(_ handler: @escaping @Sendable () -> Void) -> ReleaseOnce? { nil }
    package func close() {}

    // MARK: - Reading

    private func check() throws(StoreError) {
        guard !state.withLock({ $0.isDead }) else {
            throw Self.dead
        }
    }

    /// Lets other tasks run now and then, as a read of a large value does.
    private func pause() async throws(StoreError) {
        try check()
        let delay = state.withLock { state in
            state.generator.isHit(0.3) ? state.generator.duration(around: state.weather.diskLatency) : nil
        }
        if let delay {
            let promise = Promise<Void>()
            Scheduler.shared.after(delay) { promise.settle(.success(())) }
            try? await promise.value()
        }
        try check()
    }

    package func rowNow(_ key: String, in collection: RowCollection) throws(StoreError) -> Row? {
        try check()
        return try rows.rowNow(key, in: collection)
    }

    package func row(_ key: String, in collection: RowCollection) async throws(StoreError) -> Row? {
        try check()
        // What was read may be old when the reader continues.
        let row = try rows.rowNow(key, in: collection)
        try await pause()
        return row
    }

    package func summary(_ key: String, in collection: RowCollection) async throws(StoreError) -> RowSummary? {
        try check()
        let summary = try await rows.summary(key, in: collection)
        try await pause()
        return summary
    }

    package func summariesNow(in collection: RowCollection, _ page: RowPage) throws(StoreError) -> [RowSummary] {
        try check()
        return try rows.summariesNow(in: collection, page)
    }

    package func summaries(in collection: RowCollection, _ page: RowPage) async throws(StoreError) -> [RowSummary] {
        let summaries = try summariesNow(in: collection, page)
        try await pause()
        return summaries
    }

    package func feedNow(of collection: RowCollection, after position: UInt64?) throws(StoreError) -> RowFeed {
        try check()
        return try rows.feedNow(of: collection, after: position)
    }

    package func usageNow(of collection: RowCollection) throws(StoreError) -> RowUsage {
        try check()
        return try rows.usageNow(of: collection)
    }

    // MARK: - Writing

    private static let dead = StoreError(.closed, "the process has died")

    /// Adds a write to those under way.
    private func later(_ write: @escaping @Sendable () -> Void) {
        let delay = state.withLock { state in
            state.queue.append(write)
            let now = Scheduler.shared.now
            state.end = max(state.end, now) + state.generator.duration(around: state.weather.diskLatency)
            return state.end - now
        }
        Scheduler.shared.after(delay) { self.writeNext() }
    }

    /// Makes the next write that is under way.
    private func writeNext() {
        let write = state.withLock { $0.queue.isEmpty ? nil : $0.queue.removeFirst() }
        write?()
    }

    /// Makes a write in its turn, and waits for it.
    private func write<Value: Sendable>(
        _ body: @escaping @Sendable () throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        try check()
        let isRefused = state.withLock { state in
            let isRefused = state.generator.isHit(state.weather.diskFaults)
            state.failures += isRefused ? 1 : 0
            return isRefused
        }
        let promise = Promise<Result<Value, StoreError>>()
        later {
            promise.settle(.success(self.result(isRefused, body)))
        }
        guard let result = try? await promise.value() else {
            throw Self.dead
        }
        return try result.get()
    }

    private func result<Value: Sendable>(
        _ isRefused: Bool,
        _ body: @Sendable () throws(StoreError) -> Value
    ) -> Result<Value, StoreError> {
        guard !state.withLock({ $0.isDead }) else {
            return .failure(Self.dead)
        }
        guard !isRefused else {
            return .failure(StoreError(.diskFull, "simulated"))
        }
        do throws(StoreError) {
            return .success(try body())
        } catch {
            return .failure(error)
        }
    }

    package func commitNow(
        _ steps: [RowStep],
        in collection: RowCollection,
        committed: @escaping @Sendable (RowCommit) -> Void
    ) throws(StoreError) -> RowCommit {
        try check()
        let writes = state.withLock { state in
            defer { state.queue = [] }
            return state.queue
        }
        for write in writes {
            write()
        }
        return try rows.commitNow(steps, in: collection, committed: committed)
    }

    package func commit(_ steps: [RowStep], in collection: RowCollection) async throws(StoreError) -> RowCommit {
        try await write { [rows] () throws(StoreError) in try rows.commitNow(steps, in: collection) { _ in } }
    }

    package func commitLater(
        _ steps: [RowStep],
        in collection: RowCollection,
        committed: @escaping @Sendable (RowCommit) -> Void
    ) {
        later {
            if (try? self.check()) != nil {
                self.rows.commitLater(steps, in: collection, committed: committed)
            }
        }
    }

    package func removeNow(
        _ selection: RowSelection,
        in collection: RowCollection,
        committed: @escaping @Sendable (RowRemoval) -> Void
    ) throws(StoreError) -> RowRemoval {
        try check()
        return try rows.removeNow(selection, in: collection, committed: committed)
    }

    package func remove(
        _ selection: RowSelection,
        in collection: RowCollection
    ) async throws(StoreError) -> RowRemoval {
        try await write { [rows] () throws(StoreError) in try rows.removeNow(selection, in: collection) { _ in } }
    }

    package func touch(_ uses: [(key: String, at: Date)], in collection: RowCollection) async throws(StoreError) {
        try await write { [rows] () throws(StoreError) in rows.touchLater(uses, in: collection) }
    }

    package func touchLater(_ uses: [(key: String, at: Date)], in collection: RowCollection) {
        later {
            if (try? self.check()) != nil {
                self.rows.touchLater(uses, in: collection)
            }
        }
    }

    package func evict(
        in collection: RowCollection,
        toRows limit: Int,
        bytes: Int
    ) async throws(StoreError) -> RowRemoval {
        try await pause()
        return try await rows.evict(in: collection, toRows: limit, bytes: bytes)
    }

    // MARK: - Leases

    package func acquireLease(
        _ name: String,
        owner: String,
        duration: Duration,
        now: Date
    ) async throws(StoreError) -> Lease? {
        try await pause()
        return try await rows.acquireLease(name, owner: owner, duration: duration, now: now)
    }

    package func dropLeaseLater(_ lease: Lease, now: Date) {
        later {
            if (try? self.check()) != nil {
                self.rows.dropLeaseLater(lease, now: now)
            }
        }
    }
}
