// SPDX-License-Identifier: MIT

extension RequestNode {
    /// Sets the time the whole call may take, from its start to the decoded model.
    ///
    /// - Parameter timeout: The limit; the manager's configuration by default.
    /// - Returns: A changed copy.
    public consuming func timeout(_ timeout: Duration) -> Self {
        specification.timeout = timeout
        return self
    }

    /// Sets which statuses count as success; every 2xx by default.
    ///
    /// - Parameter statuses: The statuses, as in `[.ok, .notFound]`.
    /// - Returns: A changed copy.
    public consuming func accepting(_ statuses: StatusSet) -> Self {
        specification.acceptedStatuses = statuses
        return self
    }

    /// Sets which status codes count as success; `200..<300` by default.
    ///
    /// - Parameter codes: The codes.
    /// - Returns: A changed copy.
    public consuming func accepting(_ codes: Range<Int>) -> Self {
        accepting(StatusSet(codes))
    }

    /// Sets when the cache answers, and what is stored; the API's policy, else the manager's, by default.
    ///
    /// - Parameter policy: The policy; the rules of HTTP by default.
    /// - Returns: A changed copy.
    public consuming func cache(_ policy: CachePolicy = .http) -> Self {
        specification.cachePolicy = policy
        return self
    }

    /// Sets whose entries the call reads and writes.
    ///
    /// Without it, calls with credentials are kept apart by the digest of their credentials, so that a new token starts
    /// with an empty cache. Name the user, and the entries outlive the token. Credentials that an attempt interceptor adds
    /// are not seen by the cache: name the user then.
    ///
    /// - Parameter partition: For example the user's identifier; it is stored only as part of a digest.
    /// - Returns: A changed copy.
    public consuming func cachePartition(_ partition: String) -> Self {
        specification.cachePartition = partition
        return self
    }

    /// Adds labels to what the call stores, by which entries can be removed together.
    ///
    /// - Parameter tags: The labels.
    /// - Returns: A changed copy.
    public consuming func cacheTags(_ tags: String...) -> Self {
        specification.cacheTags.formUnion(tags)
        return self
    }

    /// Sets whether equal calls that are under way at the same time share one request.
    ///
    /// Calls that use the cache do so by themselves; say `false` to have one that does not. Others do when they say so.
    /// Calls are equal when method, URL, header fields and body are, and whatever else decides about the response. Each keeps
    /// its own deadline, events and cancellation: the request ends early only when the last of them has left. Only GET and
    /// HEAD are shared, and what ``CachePolicy/keyedByBody(ignoring:)`` declares to be a read.
    ///
    /// - Parameter isShared: Whether they share.
    /// - Returns: A changed copy.
    public consuming func sharingFlight(_ isShared: Bool = true) -> Self {
        specification.sharesFlight = isShared
        return self
    }

    /// Sets how many bytes the body of the response may have, after decompression.
    ///
    /// - Parameter bytes: The limit; the manager's configuration by default.
    /// - Returns: A changed copy.
    public consuming func responseLimit(_ bytes: Int) -> Self {
        specification.responseLimit = bytes
        return self
    }

    /// Sets what happens when the server answers with a redirect; the manager's configuration by default.
    ///
    /// - Parameter policy: The policy.
    /// - Returns: A changed copy.
    public consuming func redirects(_ policy: RedirectPolicy) -> Self {
        specification.redirects = policy
        return self
    }

    /// Sets how early the call is served when it has to wait for a worker; ``JobPriority/normal`` by default.
    ///
    /// - Parameter priority: The priority.
    /// - Returns: A changed copy.
    public consuming func priority(_ priority: JobPriority) -> Self {
        specification.priority = priority
        return self
    }

    /// Sets an identifier of the caller's own, which events and errors carry.
    ///
    /// - Parameter identifier: Any text.
    /// - Returns: A changed copy.
    public consuming func callIdentifier(_ identifier: String) -> Self {
        specification.callIdentifier = identifier
        return self
    }
}
