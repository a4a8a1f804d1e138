// SPDX-License-Identifier: MIT

/// The result of a look at the cache.
struct CacheFinding: Sendable {
    var lookup: CacheLookup
    var stored: StoredResponse?

    /// The stored response to GET, when the request is a HEAD.
    var whole: StoredResponse?
}
