// SPDX-License-Identifier: MIT

extension CallConfigurable {
    /// Sets whether equal concurrent calls share one request.
    ///
    /// Calls that use the cache share by default; other calls share only if this option is true. Calls are equal if
    /// method, URL, header fields, body and all options that affect the response are equal. Each call keeps its own
    /// deadline, events and cancellation; the request is cancelled when the last call has left. Only GET and HEAD are
    /// shared, and requests that ``CachePolicy/keyedByBody(ignoring:)`` declares to be reads.
    ///
    /// Calls with the same key share one request regardless of its method, and of header fields and bodies: the first
    /// one is sent, and the others receive its response.
    ///
    /// ```swift
    /// manager.request(.sync).post().sharingFlight(as: "sync")
    /// ```
    ///
    /// Calls of other users, to other servers or with other options that affect the response are not joined. Calls that
    /// use the cache share as without a key.
    ///
    /// A call from within a local job keeps the job's worker slot while it waits. So it joins a request that holds a
    /// slot itself, and is sent by itself while the other request still waits for one: that might be the job's. A
    /// request that an attempt interceptor or a dummy sends is never shared.
    ///
    /// - Parameters:
    ///   - isShared: Pass `false` to send a separate request.
    ///   - key: The key; that of a level beneath by default.
    /// - Returns: A changed copy.
    public consuming func sharingFlight(_ isShared: Bool = true, as key: String? = nil) -> Self {
        options[.sharesFlight] = isShared
        if let key {
            options[.flightKey] = key
        }
        return self
    }
}

extension CallOptionKey<String> {
    static var flightKey: Self { Self("flight key") { $0 } }
}

extension CallOptionKey<Bool> {
    static var sharesFlight: Self { Self("sharing flight", comparison: .byValue, needs: .sharing) { "\($0)" } }
}

extension CallPolicy {
    /// The option that allows or forbids sharing; `nil` if no level sets it.
    var sharesFlight: Bool? { options[.sharesFlight] }
}
