// SPDX-License-Identifier: MIT

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

    package init(
        isSecure: Bool,
        host: String,
        port: Int,
        isUnchecked: Bool = false,
        pinnedKeys: Set<String> = []
    ) {
        self.isSecure = isSecure
        self.host = host
        self.port = port
        self.isUnchecked = isUnchecked
        self.pinnedKeys = pinnedKeys
    }
}
