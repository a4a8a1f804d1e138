// SPDX-License-Identifier: MIT

import HTTPWire

enum WireRoute {
    case direct(WireTarget)
    /// Those of the other transport; the version of the response tells whether later requests go there too.
    case undecided(WireOrigin)
    case other
}
