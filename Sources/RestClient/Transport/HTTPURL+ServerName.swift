// SPDX-License-Identifier: MIT

import HTTPWire

extension HTTPURL {
    /// The name of the host in the handshake of TLS; `nil` for an address.
    package var serverName: String? { WireOrigin.serverName(of: bareHost) }
}
