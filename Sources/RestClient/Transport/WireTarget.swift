// SPDX-License-Identifier: MIT

import HTTPWire

/// The server of a URL, and what is asked of it.
struct WireTarget {
    let pool: ConnectionPool
    /// The value of `Host`.
    let host: String
    var pathAndQuery: String
}
