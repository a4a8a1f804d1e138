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

    /// Finishes what is under way and lets go of files; every later call throws
    /// ``StoreError/Code-swift.struct/closed``.
    func close()
}
