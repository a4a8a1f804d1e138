// SPDX-License-Identifier: MIT

public import JobGraphs

extension WorkerPool.Limits {
    /// The maximum number of concurrent requests to a server; `nil` if there is no limit, and zero or less removes it.
    ///
    /// ```swift
    /// manager.workers.limits[.store] = 4
    /// ```
    ///
    /// A request counts for the server that it or its API names by alias, even while it follows a redirect to another
    /// server; a request with a whole address counts for none.
    public subscript(server: ServerAlias) -> Int? {
        get { self[server.rawValue] }
        nonmutating set { self[server.rawValue] = newValue }
    }
}

extension WorkerPoolSnapshot.Entry {
    /// The identifier of the call, if the work is an attempt of a call.
    public var callID: CallID? { (subject as? CallContext)?.id }

    /// The request of the call, if the work is an attempt of a call.
    public var request: RequestSummary? { (subject as? CallContext)?.summary }
}

/// A call holds a worker slot while an attempt is on the wire.
extension CallContext: SlotHolder {
    package var limitKey: String? { server?.rawValue }
    package var sharesLimit: Bool { true }
    package var subject: (any Sendable)? { self }

    package func words(for index: Int) -> String {
        "\(id) \(summary)"
    }
}
