// SPDX-License-Identifier: MIT

import HTTPWire
import RestEssentials

/// The URL of a proxy, as options and environments write it: pure.
///
/// An error never shows the text, in which a password may be anywhere.
struct ProxyServer: Hashable, Sendable {
    struct Defect: Error, Hashable {
        let reason: String
    }

    let wire: WireProxy

    /// Parses the URL of a proxy; `http://` if it has no scheme.
    init(_ text: String) throws(Defect) {
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw Defect(reason: "it has a space, a control character or a letter that must be percent-encoded")
        }
        var rest = text[...]
        var kind = WireProxy.Kind.http
        if let mark = rest.firstRange(of: "://") {
            guard let known = WireProxy.Kind(rawValue: rest[..<mark.lowerBound].lowercased()) else {
                throw Defect(reason: "its scheme is none of http, https, socks5 and socks5h")
            }
            kind = known
            rest = rest[mark.upperBound...]
        }
        if rest.hasSuffix("/") {
            rest.removeLast()
        }
        guard
            !rest.utf8.contains(where: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
            )
        else {
            throw Defect(
                reason: "it has more than a user, a host and a port; percent-encode '/', '?' and '#' in a password"
            )
        }
        var credentials: (user: String, password: String)?
        if let mark = rest.utf8.lastIndex(of: UInt8(ascii: "@")) {
            credentials = try Self.credentials(rest[..<mark], for: kind)
            rest = rest[rest.utf8.index(after: mark)...]
        }
        let (host, port) = try Self.place(rest, for: kind)
        wire = WireProxy(
            kind: kind,
            host: host,
            port: port,
            user: credentials?.user,
            password: credentials?.password
        )
    }

    private static func credentials(
        _ text: Substring,
        for kind: WireProxy.Kind
    ) throws(Defect) -> (user: String, password: String)? {
        guard !text.isEmpty else {
            return nil
        }
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let user = try decoded(parts[0])
        let password = try decoded(parts.count > 1 ? parts[1] : "")
        switch kind {
        case .http, .https:
            guard !user.contains(":") else {
                throw Defect(reason: "its user has a colon, which Basic cannot send (RFC 7617)")
            }
        case .socks5, .socks5h:
            guard user.utf8.count <= 255, password.utf8.count <= 255 else {
                throw Defect(reason: "its user or password has more than 255 bytes, which SOCKS cannot send (RFC 1929)")
            }
        }
        return (user, password)
    }

    private static func decoded(_ text: Substring) throws(Defect) -> String {
        let decoded = PercentEncoding.decode(text)
        guard PercentEncoding.encode(text, allowing: .unreservedAndReserved) == text, !decoded.contains("\u{FFFD}")
        else {
            throw Defect(reason: "its user or password is not percent-encoded, or not in UTF-8")
        }
        guard decoded.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw Defect(reason: "its user or password has a control character")
        }
        return decoded
    }

    private static func place(_ text: Substring, for kind: WireProxy.Kind) throws(Defect) -> (host: String, port: Int) {
        guard let (name, portText) = HostPort.split(text), !name.isEmpty, let host = try? HTTPURL.canonicalHost(name)
        else {
            throw Defect(reason: "its host is not a name or an address")
        }
        let usual: Int
        switch kind {
        case .http: usual = 80
        case .https: usual = 443
        case .socks5, .socks5h: usual = 1080
        }
        guard let portText else {
            return (HostPort.bare(host), usual)
        }
        guard let port = HostPort.port(portText) else {
            throw Defect(reason: "its port is not a number from 1 to 65535")
        }
        return (HostPort.bare(host), port)
    }
}

/// Hosts with ports as texts: pure.
enum HostPort {
    /// Returns a host, with the brackets of an IPv6 address, and what follows its colon; `nil` if a bracket is missing.
    static func split(_ text: Substring) -> (host: String, port: Substring?)? {
        guard text.hasPrefix("[") else {
            let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            return (String(parts.first ?? ""), parts.count > 1 ? parts[1] : nil)
        }
        guard let end = text.firstIndex(of: "]") else {
            return nil
        }
        let rest = text[text.index(after: end)...]
        guard rest.isEmpty || rest.hasPrefix(":") else {
            return nil
        }
        return (String(text[...end]), rest.isEmpty ? nil : rest.dropFirst())
    }

    static func port(_ text: some StringProtocol) -> Int? {
        guard text.utf8.count <= 5, text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let port = Int(text), port > 0,
            port < 65_536
        else {
            return nil
        }
        return port
    }

    static func bare(_ host: String) -> String {
        host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
    }
}
