// SPDX-License-Identifier: MIT

package import RestEssentials

/// An engine that runs in this process and waits for nothing but the disk.
package protocol EmbeddedBacking: Backing {
    /// Reads a row on the calling thread.
    func rowNow(_ key: String, in collection: RowCollection) throws(StoreError) -> Row?

    /// Reads a row on the calling thread, unless its value is larger than the limit.
    func smallRowNow(
        _ key: String,
        in collection: RowCollection,
        valueLimit: Int
    ) throws(StoreError) -> SmallRow

    /// Notes later when rows were last used. Failures are not reported.
    func touchLater(_ uses: [(key: String, at: Date)], in collection: RowCollection)

    /// Commits on behalf of the calling thread, which is blocked until then.
    ///
    /// The closure runs after the commit and before any later commit's, so its effects follow the order of commits.
    /// It must be short, and must not call the backing.
    func commitNow(
        _ steps: [RowStep],
        in collection: RowCollection,
        committed: @escaping @Sendable (RowCommit) -> Void
    ) throws(StoreError) -> RowCommit

    /// Commits later, with the closure as for ``commitNow(_:in:committed:)``. Failures are not reported.
    func commitLater(
        _ steps: [RowStep],
        in collection: RowCollection,
        committed: @escaping @Sendable (RowCommit) -> Void
    )

    /// Releases a lease later, after what was committed before. Failures are not reported.
    ///
    /// Also removes expired leases.
    func dropLeaseLater(_ lease: Lease, now: Date)

    /// Removes rows on behalf of the calling thread, with the closure as for ``commitNow(_:in:committed:)``.
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

    /// Reads the change feed after a position, on the calling thread; `nil` asks only for its end.
    func feedNow(of collection: RowCollection, after position: UInt64?) throws(StoreError) -> RowFeed

    /// Returns the size of a collection, on the calling thread.
    func usageNow(of collection: RowCollection) throws(StoreError) -> RowUsage
}

/// The asynchronous forms of an engine whose reads are quick. One that reads from a disk has its own for reads that
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
