// SPDX-License-Identifier: MIT

package import RestEssentials

/// The engine beneath the cache, the shared data and the run journal: rows, conditions, a change feed and leases.
///
/// Nothing above this protocol knows SQL, files or sockets, and nothing assumes that one process owns the rows. An
/// engine in the same process also conforms to ``EmbeddedBacking``, which adds synchronous forms; a networked one
/// implements only this. Both must pass the same contract suite.
///
/// A call that takes several steps applies all of them or none. Keys are compared by their bytes.
package protocol Backing: Sendable {
    /// Reads a row.
    func row(_ key: String, in collection: RowCollection) async throws(StoreError) -> Row?

    /// Lists rows without their values in the order of their keys' bytes, from behind a key on.
    func summaries(
        in collection: RowCollection,
        prefix: String,
        tag: String?,
        after key: String?,
        limit: Int
    ) async throws(StoreError) -> [RowSummary]

    /// Applies the steps in one transaction, or none of them when a condition does not hold.
    ///
    /// All conditions are judged on the state before the first step.
    func commit(_ steps: [RowStep], in collection: RowCollection) async throws(StoreError) -> RowCommit

    /// Removes the rows selected, in transactions small enough not to hold up others, unless all are taken at once.
    func remove(_ selection: RowSelection, in collection: RowCollection) async throws(StoreError) -> RowRemoval

    /// Notes when rows were last used; rows that are gone are passed over.
    func touch(_ uses: [(key: String, at: Date)], in collection: RowCollection) async throws(StoreError)

    /// Removes the least recently used rows until no more than this is left.
    func evict(in collection: RowCollection, toRows rows: Int, bytes: Int) async throws(StoreError) -> RowRemoval

    /// Tells how much a collection holds and who wrote last.
    func usage(of collection: RowCollection) async throws(StoreError) -> RowUsage

    /// Reads the change feed from behind a position; `nil` asks only where it ends.
    func feed(of collection: RowCollection, after position: UInt64?) async throws(StoreError) -> RowFeed

    /// Calls the handler whenever others may have committed, until the token is released; never twice at once.
    ///
    /// - Returns: The token; `nil` when nobody else can commit, or when it cannot be noticed.
    func observeForeignCommits(_ handler: @escaping @Sendable () -> Void) -> (any Sendable)?

    /// Whether someone else might commit to the same rows.
    var isShared: Bool { get }

    /// Takes or renews a lease; `nil` when someone else holds it at `now`.
    func acquireLease(
        _ name: String,
        owner: String,
        duration: Duration,
        now: Date
    ) async throws(StoreError) -> Lease?

    /// Gives a lease back; false when it had passed to someone else.
    func releaseLease(_ lease: Lease) async throws(StoreError) -> Bool

    /// Finishes what is under way and lets go of files; every later call throws ``StoreError/Code-swift.struct/closed``.
    func close()
}

/// An engine that runs in this process and answers without waiting for anyone but the disk.
package protocol EmbeddedBacking: Backing {
    /// Reads a row on the calling thread.
    func rowNow(_ key: String, in collection: RowCollection) throws(StoreError) -> Row?

    /// Reads a row on the calling thread unless its value is larger than the limit; then only says so.
    func smallRowNow(
        _ key: String,
        in collection: RowCollection,
        valueLimit: Int
    ) throws(StoreError) -> SmallRow

    /// Notes when rows were last used, some time later; nobody hears of a failure.
    func touchLater(_ uses: [(key: String, at: Date)], in collection: RowCollection)

    /// Commits and blocks the calling thread until it is done.
    ///
    /// The closure runs after the commit and before any later commit's, so what it does follows the order of commits;
    /// it must be short, and must not call the backing.
    func commitNow(
        _ steps: [RowStep],
        in collection: RowCollection,
        committed: @escaping @Sendable (RowCommit) -> Void
    ) throws(StoreError) -> RowCommit

    /// Commits some time later; the closure as for ``commitNow(_:in:committed:)``. Nobody hears of a failure.
    func commitLater(
        _ steps: [RowStep],
        in collection: RowCollection,
        committed: @escaping @Sendable (RowCommit) -> Void
    )

    /// Gives a lease back some time later, after what was committed before; nobody hears of a failure.
    ///
    /// Nothing is kept of the lease, nor of those whose time is over: their fences begin anew, so this is for leases that
    /// need none.
    func dropLeaseLater(_ lease: Lease, now: Date)

    /// Removes and blocks the calling thread until it is done; the closure as for ``commitNow(_:in:committed:)``.
    func removeNow(
        _ selection: RowSelection,
        in collection: RowCollection,
        committed: @escaping @Sendable (RowRemoval) -> Void
    ) throws(StoreError) -> RowRemoval

    /// Lists rows on the calling thread.
    func summariesNow(
        in collection: RowCollection,
        prefix: String,
        tag: String?,
        after key: String?,
        limit: Int
    ) throws(StoreError) -> [RowSummary]

    /// Reads the change feed on the calling thread.
    func feedNow(of collection: RowCollection, after position: UInt64?) throws(StoreError) -> RowFeed

    /// Tells how much a collection holds, on the calling thread.
    func usageNow(of collection: RowCollection) throws(StoreError) -> RowUsage
}

/// An engine whose reads are quick answers on the calling thread; one that reads from a disk has forms of its own for what
/// may take long.
extension EmbeddedBacking {
    package func row(_ key: String, in collection: RowCollection) async throws(StoreError) -> Row? {
        try rowNow(key, in: collection)
    }

    package func summaries(
        in collection: RowCollection,
        prefix: String,
        tag: String?,
        after key: String?,
        limit: Int
    ) async throws(StoreError) -> [RowSummary] {
        try summariesNow(in: collection, prefix: prefix, tag: tag, after: key, limit: limit)
    }

    package func usage(of collection: RowCollection) async throws(StoreError) -> RowUsage {
        try usageNow(of: collection)
    }

    package func feed(of collection: RowCollection, after position: UInt64?) async throws(StoreError) -> RowFeed {
        try feedNow(of: collection, after: position)
    }
}

/// The response to a read that refuses to block for long.
package enum SmallRow: Sendable, Equatable {
    case row(Row)
    case absent
    /// There is a row, but its value is larger than the limit given.
    case large
}
