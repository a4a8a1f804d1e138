// SPDX-License-Identifier: MIT

public import JobGraphs

extension WorkerPool.Limits {
    /// How many requests may be on the wire to a server at once; `nil` when there is no limit, and zero or less sets
    /// none.
    ///
    /// ```swift
    /// manager.workers.limits[.store] = 4
    /// ```
    ///
    /// A request counts for the server that it names by alias, or that its API names, also while it follows a redirect
    /// to another one; one with an address of its own counts for none.
    public subscript(server: ServerAlias) -> Int? {
        get { self[server.rawValue] }
        nonmutating set { self[server.rawValue] = newValue }
    }
}

extension WorkerPoolSnapshot.Entry {
    /// The identifier of the call, when the work is an attempt of one.
    public var callID: CallID? { (subject as? CallContext)?.id }

    /// The request of the call, when the work is an attempt of one.
    public var request: RequestSummary? { (subject as? CallContext)?.summary }
}
