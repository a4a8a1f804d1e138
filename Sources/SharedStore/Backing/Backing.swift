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

    /// Lists rows without their values, in the order of their keys' bytes, beginning after a key.
    func summaries(
        in collection: RowCollection,
        prefix: String,
        tag: String?,
        after key: String?,
        limit: Int
    ) async throws(StoreError) -> [RowSummary]

    /// Applies the steps in one transaction, or none of them if a condition does not hold.
    ///
    /// All conditions are evaluated on the state before the first step.
    func commit(_ steps: [RowStep], in collection: RowCollection) async throws(StoreError) -> RowCommit

    /// Removes the selected rows, in transactions small enough not to delay others, unless all rows are selected.
    func remove(_ selection: RowSelection, in collection: RowCollection) async throws(StoreError) -> RowRemoval

    /// Notes when rows were last used. Skips rows that no longer exist.
    func touch(_ uses: [(key: String, at: Date)], in collection: RowCollection) async throws(StoreError)

    /// Removes the least recently used rows until these limits hold.
    func evict(in collection: RowCollection, toRows rows: Int, bytes: Int) async throws(StoreError) -> RowRemoval

    /// Returns the size of a collection, and whether its last writer was this backing.
    func usage(of collection: RowCollection) async throws(StoreError) -> RowUsage

    /// Calls the handler whenever others may have committed, until the token is released. Calls do not overlap.
    ///
    /// - Returns: The token; `nil` if no one else can commit, or if that cannot be noticed.
    func observeForeignCommits(_ handler: @escaping @Sendable () -> Void) -> (any Sendable)?

    /// A Boolean value that tells whether others can commit to the same rows.
    var isShared: Bool { get }

    /// Acquires or renews a lease; returns `nil` if it has another holder at `now`.
    func acquireLease(
        _ name: String,
        owner: String,
        duration: Duration,
        now: Date
    ) async throws(StoreError) -> Lease?

    /// Finishes pending operations and closes files. Every later call throws ``StoreError/Code-swift.struct/closed``.
    func close()
}
