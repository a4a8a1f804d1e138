// SPDX-License-Identifier: MIT

import NIOCore

/// A server to connect to.
package struct WireOrigin: Hashable, Sendable {
    /// The versions of HTTP that connections may speak.
    package enum Versions: Sendable {
        /// HTTP/1.1, and HTTP/2 as the configuration says.
        case any
        /// HTTP/1.1 alone, as for a connection that is handed over.
        case http1
        /// HTTP/2 alone: a server that does not speak it gets no request.
        case http2
    }

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
    package let versions: Versions
    /// The way there.
    package let way: WireWay

    package init(
        isSecure: Bool,
        host: String,
        port: Int,
        isUnchecked: Bool = false,
        pinnedKeys: Set<String> = [],
        isAnonymous: Bool = false,
        versions: Versions = .any,
        way: WireWay = .direct
    ) {
        self.isSecure = isSecure
        self.host = host
        self.port = port
        self.isUnchecked = isUnchecked
        self.pinnedKeys = pinnedKeys
        self.isAnonymous = isAnonymous
        self.versions = versions
        self.way = way
    }

    /// Returns true if a connection may turn out to be one of HTTP/2.
    func maySpeakHTTP2(_ configuration: WireConfiguration) -> Bool {
        switch versions {
        // A proxy that gets whole requests gets those of HTTP/1.1.
        case .any where isForwarded: false
        case .any: isSecure ? configuration.offersHTTP2 : configuration.assumesHTTP2
        case .http1: false
        case .http2: true
        }
    }

    /// A Boolean value that is true if a proxy gets whole requests.
    package var isForwarded: Bool {
        if case .forwarding = way { true } else { false }
    }

    /// Returns the names of what a handshake of TLS offers (RFC 7301).
    ///
    /// - Parameter hasHTTP2: True if HTTP/2 is among them.
    /// - Returns: The names, the preferred one first.
    func protocols(hasHTTP2: Bool) -> [String] {
        guard hasHTTP2 else {
            return ["http/1.1"]
        }
        return versions == .http2 ? ["h2"] : ["h2", "http/1.1"]
    }

    /// The name that the handshake of TLS asks for, and that the certificate has to have; `nil` for an address, which
    /// is checked against the addresses in the certificate.
    ///
    /// The dot at the end of an absolute name is part of neither (RFC 6066, section 3).
    var serverName: String? { Self.serverName(of: host) }

    static func serverName(of host: String) -> String? {
        let name = host.hasSuffix(".") ? String(host.dropLast()) : host
        return (try? SocketAddress(ipAddress: name, port: 0)) == nil ? name : nil
    }
}
