// SPDX-License-Identifier: MIT

import NIOCore

/// A server to connect to.
package struct WireOrigin: Hashable, Sendable {
    /// True for TLS.
    package let isSecure: Bool
    /// The name or address, without the brackets of an IPv6 address.
    package let host: String
    package let port: Int
    /// True if any certificate of the server is accepted, see ``WireConfiguration/uncheckedTLS``.
    package let isUnchecked: Bool
    /// The public keys that the server may have, see ``PinMismatch``; empty for any.
    package let pinnedKeys: Set<String>
    /// True if the client's certificate is not presented.
    package let isAnonymous: Bool

    package init(
        isSecure: Bool,
        host: String,
        port: Int,
        isUnchecked: Bool = false,
        pinnedKeys: Set<String> = [],
        isAnonymous: Bool = false
    ) {
        self.isSecure = isSecure
        self.host = host
        self.port = port
        self.isUnchecked = isUnchecked
        self.pinnedKeys = pinnedKeys
        self.isAnonymous = isAnonymous
    }

    /// The name that the handshake of TLS asks for, and that the certificate has to have; `nil` for an address, which
    /// is checked against the addresses in the certificate.
    ///
    /// The dot at the end of an absolute name is part of neither (RFC 6066, section 3).
    var serverName: String? {
        let name = host.hasSuffix(".") ? String(host.dropLast()) : host
        return (try? SocketAddress(ipAddress: name, port: 0)) == nil ? name : nil
    }
}
