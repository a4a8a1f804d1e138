// SPDX-License-Identifier: MIT

extension CallConfigurable {
    /// Sets whether equal calls that are under way at the same time share one request.
    ///
    /// Calls that use the cache do so by themselves; say `false` to have one that does not. Others do when they say so.
    /// Calls are equal when method, URL, header fields and body are, and whatever else decides about the response. Each
    /// keeps its own deadline, events and cancellation: the request ends early only when the last of them has left.
    /// Only GET and HEAD are shared, and what ``CachePolicy/keyedByBody(ignoring:)`` declares to be a read.
    ///
    /// - Parameter isShared: Whether they share.
    /// - Returns: A changed copy.
    public consuming func sharingFlight(_ isShared: Bool = true) -> Self {
        options[.sharesFlight] = isShared
        return self
    }
}

extension CallOptionKey<Bool> {
    static var sharesFlight: Self { Self("sharing flight") { "\($0)" } }
}

extension CallPolicy {
    /// True or false if an option says that equal calls may share the request, or may not.
    var sharesFlight: Bool? { options[.sharesFlight] }
}
