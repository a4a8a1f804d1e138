// SPDX-License-Identifier: MIT

import HTTPWire

struct WireTarget {
    let pool: ConnectionPool
    let host: String
    var pathAndQuery: String
}
