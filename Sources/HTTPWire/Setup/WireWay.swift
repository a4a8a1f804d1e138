// SPDX-License-Identifier: MIT

import RestEssentials

/// The way from this process to an origin.
///
/// Connections are shared only by requests that go the same way.
package enum WireWay: Hashable, Sendable {
    /// To the addresses of the origin's name, as a lookup of the user's own knows them; `nil` for those of the system.
    case names(WireLookup?)
    /// To another host, at whose address the origin is.
    case host(String, port: Int)
    /// To the socket at a path.
    case socket(path: String)
    /// To a proxy that gets whole requests, with the absolute form of their URLs.
    case forwarding(WireProxy)
    /// Through a proxy to the origin; the lookup is for proxies that want addresses.
    case tunnel(WireProxy, WireLookup?)

    /// The way without anything between.
    package static let direct = WireWay.names(nil)

    /// The proxy on the way; `nil` if there is none.
    package var proxy: WireProxy? {
        switch self {
        case .forwarding(let proxy), .tunnel(let proxy, _): proxy
        case .names, .host, .socket: nil
        }
    }
}

/// A proxy.
package struct WireProxy: Hashable, Sendable {
    /// The protocols of proxies.
    package enum Kind: String, Sendable {
        /// Requests in absolute form, and tunnels by `CONNECT` (RFC 9110, section 9.3.6).
        case http
        /// The same over TLS.
        case https
        /// SOCKS 5, which gets addresses (RFC 1928).
        case socks5
        /// The same, which gets names.
        case socks5h
    }

    package let kind: Kind
    /// The name or address, without the brackets of an IPv6 address.
    package let host: String
    package let port: Int
    /// The bytes of the user and the password: texts of other bytes are others, even if they look alike.
    let user: [UInt8]?
    let password: [UInt8]
    /// True if any certificate of the proxy is accepted, see ``WireConfiguration/uncheckedTLS``.
    package var isUnchecked = false

    package init(kind: Kind, host: String, port: Int, user: String? = nil, password: String? = nil) {
        self.kind = kind
        self.host = host
        self.port = port
        self.user = user.map { Array($0.utf8) }
        self.password = Array((password ?? "").utf8)
    }

    /// True for proxies that speak HTTP.
    package var speaksHTTP: Bool { kind == .http || kind == .https }

    /// The value of `Proxy-Authorization` (RFC 7617); `nil` without a user.
    package var authorization: String? {
        user.map { "Basic " + Data($0 + [UInt8(ascii: ":")] + password).base64EncodedString() }
    }
}

extension WireProxy: CustomStringConvertible, CustomReflectable {
    /// Its URL, without the credentials.
    package var description: String {
        "\(kind.rawValue)://\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }

    package var customMirror: Mirror { Mirror(self, children: ["url": description]) }
}

/// A lookup of addresses, in place of the system's.
///
/// A lookup is equal to itself alone: connections that one of them led to are not for requests with another one.
package final class WireLookup: Sendable, Hashable {
    /// An address and a port.
    package struct Place: Sendable, Hashable {
        package let address: String
        package let port: Int

        package init(address: String, port: Int) {
            self.address = address
            self.port = port
        }
    }

    /// Returns the places of a host and a port, the preferred one first; `nil` to ask the system.
    package typealias Find = @Sendable (_ host: String, _ port: Int) async throws -> [Place]?

    let find: Find

    package init(_ find: @escaping Find) {
        self.find = find
    }

    package static func == (one: WireLookup, other: WireLookup) -> Bool { one === other }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}
