// SPDX-License-Identifier: MIT

/// The result of a cache lookup.
struct CacheFinding: Sendable {
    var lookup: CacheLookup
    var stored: StoredResponse?

    /// The stored response to GET, if the request is a HEAD.
    var whole: StoredResponse?
}
