// SPDX-License-Identifier: MIT

package import RestEssentials

/// The rows of any engine, be it in the process or across a network; nothing assumes that one process owns them.
///
/// A call that takes several steps applies all of them or none. Keys are compared by their bytes.
package protocol BasicBacking: Sendable {
    /// Reads a row; a large value away from the calling thread.
    func row(_ key: String, in collection: RowCollection) async throws(StoreError) -> Row?

    func summary(_ key: String, in collection: RowCollection) async throws(StoreError) -> RowSummary?

    func summaries(in collection: RowCollection, _ page: RowPage) async throws(StoreError) -> [RowSummary]

    /// Applies the steps in one transaction, or none of them if a condition does not hold.
    ///
    /// All conditions are evaluated on the state before the first step.
    func commit(_ steps: [RowStep], in collection: RowCollection) async throws(StoreError) -> RowCommit

    /// Removes the selected rows, in transactions small enough not to delay others, unless all rows are selected.
    func remove(_ selection: RowSelection, in collection: RowCollection) async throws(StoreError) -> RowRemoval

    /// True if others can commit to the same rows.
    var isShared: Bool { get }

    /// Finishes pending operations and closes files. Every later call throws ``StoreError/Code-swift.struct/closed``.
    func close()
}

/// A built-in engine, in memory or on a file, with what only such an engine offers: calls that do not suspend, a change
/// feed, eviction and leases.
///
/// Every engine must pass the same contract suite. Synchronous calls block the calling thread while they wait for the
/// disk.
package protocol Backing: BasicBacking {
    // MARK: - Reading

    func rowNow(_ key: String, in collection: RowCollection) throws(StoreError) -> Row?

    func summariesNow(in collection: RowCollection, _ page: RowPage) throws(StoreError) -> [RowSummary]

    /// Reads the change feed after a position, on the calling thread; `nil` returns only its end.
    func feedNow(of collection: RowCollection, after position: UInt64?) throws(StoreError) -> RowFeed

    /// Returns the size of a collection, and whether this backing was its last writer.
    func usageNow(of collection: RowCollection) throws(StoreError) -> RowUsage

    // MARK: - Writing

    /// Applies the steps like ``BasicBacking/commit(_:in:)``, on behalf of the calling thread, which is blocked until
    /// then.
    ///
    /// The closure runs after the commit and before any later commit's, so its effects follow the order of commits. It
    /// must be short, and must not call the backing.
    func commitNow(
        _ steps: [RowStep],
        in collection: RowCollection,
        committed: @escaping @Sendable (RowCommit) -> Void
    ) throws(StoreError) -> RowCommit

    /// Applies the steps later, with the closure as for ``commitNow(_:in:committed:)``. Failures are not reported.
    func commitLater(
        _ steps: [RowStep],
        in collection: RowCollection,
        committed: @escaping @Sendable (RowCommit) -> Void
    )

    /// Removes the selected rows on behalf of the calling thread, with the closure as for
    /// ``commitNow(_:in:committed:)``.
    func removeNow(
        _ selection: RowSelection,
        in collection: RowCollection,
        committed: @escaping @Sendable (RowRemoval) -> Void
    ) throws(StoreError) -> RowRemoval

    /// Records when rows were last used. Skips rows that do not exist.
    func touch(_ uses: [(key: String, at: Date)], in collection: RowCollection) async throws(StoreError)

    /// Records later when rows were last used. Failures are not reported.
    func touchLater(_ uses: [(key: String, at: Date)], in collection: RowCollection)

    func evict(in collection: RowCollection, toRows rows: Int, bytes: Int) async throws(StoreError) -> RowRemoval

    // MARK: - Other processes

    /// Calls the handler whenever others may have committed, until the token is released. Calls do not overlap.
    /// `nil` if no one else can commit, or if commits cannot be detected.
    func observeForeignCommits(_ handler: @escaping @Sendable () -> Void) -> ReleaseOnce?

    /// Acquires or renews a lease; returns `nil` if it has another holder at `now`.
    func acquireLease(
        _ name: String,
        owner: String,
        duration: Duration,
        now: Date
    ) async throws(StoreError) -> Lease?

    /// Releases a lease later, after what was committed before, and removes expired leases. Failures are not reported.
    func dropLeaseLater(_ lease: Lease, now: Date)
}

package struct Lease: Sendable, Equatable {
    package var name: String
    /// The name of its holder, which distinguishes this lease from later ones of the same name.
    package var owner: String
    package var expiresAt: Date
}

extension Lease {
    /// Creates a lease in place of the current one; `nil` if that has another holder at `now`.
    init?(_ name: String, owner: String, until: Date, now: Date, after current: Lease?) {
        if let current, current.owner != owner, current.expiresAt > now { return nil }
        self.init(name: name, owner: owner, expiresAt: until)
    }
}
