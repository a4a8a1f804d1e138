// SPDX-License-Identifier: MIT

import JobGraphs
public import RestEssentials
import SharedStore

/// A cookie that a server set (RFC 6265).
public struct Cookie: Sendable, Hashable, Codable {
    /// The name.
    public let name: String

    /// The value, which may be a secret.
    ///
    /// A byte of the server that is not UTF-8 is one of the last 128 characters of Unicode, and is sent back as it
    /// came.
    public let value: String

    /// The domain, in lower case and without a dot at its end.
    public let domain: String

    /// The path; the cookie is sent to this path and below.
    public let path: String

    /// The moment from which the cookie is not sent any more; `nil` for one of the session.
    public let expires: Date?

    /// A Boolean value that is true if the cookie is sent over TLS, and to this machine, only.
    public let isSecure: Bool

    /// A Boolean value that is true if the cookie is not sent to hosts below its domain.
    public let isHostOnly: Bool

    /// Creates a cookie.
    ///
    /// A call that would send a cookie whose name or value breaks the field fails with
    /// ``RestClientError/Code-swift.struct/invalidHeader``.
    ///
    /// - Parameters:
    ///   - name: The name, without control characters, semicolons and equals signs.
    ///   - value: The value, without control characters and semicolons.
    ///   - domain: The domain.
    ///   - path: The path.
    ///   - expires: The moment from which it is not sent any more; never by default.
    ///   - isSecure: True if it is sent over TLS only.
    ///   - isHostOnly: True if it is not sent to hosts below its domain.
    public init(
        _ name: String,
        _ value: String,
        domain: String,
        path: String = "/",
        expires: Date? = nil,
        isSecure: Bool = true,
        isHostOnly: Bool = true
    ) {
        self.name = name
        self.value = value
        self.domain = HTTPURL.withoutFinalDot(domain.lowercased())
        self.path = path
        self.expires = expires
        self.isSecure = isSecure
        self.isHostOnly = isHostOnly
    }
}

extension Cookie: MirroredByDescription {
    /// The name, the domain and the path, without the value.
    public var description: String { MessageText.of("\(name) of \(isHostOnly ? "" : "*.")\(domain)\(path)") }
}

extension Cookie {
    /// The properties that a cookie replaces another one by.
    struct Key: Hashable {
        let name: RowKey
        let domain: RowKey
        let path: RowKey
    }

    /// A Boolean value that is true if no part of the cookie would add another one to a `Cookie` field.
    var isWellFormed: Bool {
        !name.isEmpty && !name.utf8.contains(UInt8(ascii: "=")) && [name, value].allSatisfy(Self.isOnePart)
    }

    private static func isOnePart(_ text: String) -> Bool {
        !text.utf8.contains { ($0 < 0x20 && $0 != 0x09) || $0 == 0x7F || $0 == UInt8(ascii: ";") }
    }

    var key: Key { Key(name: RowKey(name), domain: RowKey(domain), path: RowKey(path)) }

    /// Returns true if the cookie belongs to a request (RFC 6265, section 5.4).
    func matches(_ url: HTTPURL, at now: Date) -> Bool {
        let host = HTTPURL.withoutFinalDot(url.bareHost)
        return (isHostOnly ? host.utf8.elementsEqual(domain.utf8) : Self.isDomain(domain, of: host))
            && Self.isPath(path, of: url.path.isEmpty ? "/" : url.path) && (!isSecure || Self.isTrusted(url))
            && !hasExpired(at: now)
    }

    /// Returns true if what a URL gets cannot be read on the way: over TLS, and on this machine, as browsers have it.
    static func isTrusted(_ url: HTTPURL) -> Bool { url.scheme == "https" || HTTPURL.isLoopback(url.host) }

    func hasExpired(at now: Date) -> Bool { expires.map { $0 <= now } ?? false }

    /// Returns true if a host is a domain or is below it; nothing is below an address.
    static func isDomain(_ domain: String, of host: String) -> Bool {
        host.utf8.elementsEqual(domain.utf8)
            || (host.utf8.reversed().starts(with: ("." + domain).utf8.reversed()) && !isAddress(host))
    }

    static func isAddress(_ host: String) -> Bool {
        let labels = host.utf8.split(separator: UInt8(ascii: "."))
        return host.utf8.contains(UInt8(ascii: ":")) || labels.last?.allSatisfy { (0x30...0x39).contains($0) } ?? true
    }

    static func isPath(_ path: String, of requested: String) -> Bool {
        let slash = UInt8(ascii: "/")
        guard requested.utf8.starts(with: path.utf8) else {
            return false
        }
        return requested.utf8.count == path.utf8.count || path.utf8.last == slash
            || requested.utf8.dropFirst(path.utf8.count).first == slash
    }
}

extension Cookie: CredentialResult {}
