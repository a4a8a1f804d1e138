// SPDX-License-Identifier: MIT

package import RestEssentials

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
    /// Removes the leases that have expired, too.
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

    /// Reads the change feed behind a position, on the calling thread; `nil` asks only for its end.
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
}
