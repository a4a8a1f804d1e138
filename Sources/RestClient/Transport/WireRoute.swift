// SPDX-License-Identifier: MIT

import HTTPWire

/// The connections that carry the requests for a URL.
enum WireRoute {
    /// This library's own.
    case direct(WireTarget)
    /// Those of the other transport; the version of the response tells whether later requests go there too.
    case undecided(WireOrigin)
    /// Those of the other transport.
    case other
}
