// SPDX-License-Identifier: MIT

/// A server address taken apart once, so that sending a request only has to append to it.
struct ServerBase: Sendable, Hashable {
    /// Why a text is no server address.
    struct Defect: Error {
        let reason: String
    }

    /// `http` or `https`.
    let scheme: String
    /// The host in lower case, IPv6 addresses in brackets.
    let host: String
    /// The port when it differs from the scheme's own.
    let port: Int?
    /// The path in front of every endpoint: empty, or with a leading and without a trailing slash.
    let path: String
    /// Scheme, host and port, as in `https://example.com:8443`.
    let origin: String

    /// The address in canonical form.
    var prefix: String { origin + path }

    /// Takes an address apart.
    init(parsing address: String) throws(Defect) {
        var rest = Substring(address)
        var explicitScheme: String?
        if let separator = rest.firstRange(of: "://") {
            let scheme = rest[..<separator.lowerBound].lowercased()
            guard scheme == "http" || scheme == "https" else {
                throw Defect(reason: "the scheme '\(scheme)' is neither http nor https")
            }
            explicitScheme = scheme
            rest = rest[separator.upperBound...]
        }
        if explicitScheme == nil,
            let scheme = ["http:", "https:"].first(where: { rest.lowercased().hasPrefix($0 + "/") })
        {
            throw Defect(reason: "two slashes must follow '\(scheme)'")
        }
        if let problem = rest.unicodeScalars.first(where: { !Self.isAllowed($0) }) {
            throw Defect(
                reason: "it contains U+\(String(problem.value, radix: 16, uppercase: true)), "
                    + "which a URL cannot hold; write international host names in their xn-- form"
            )
        }
        if rest.contains("?") || rest.contains("#") {
            throw Defect(reason: "a query or fragment belongs to a request, not to a server")
        }
        let authority = rest.prefix { $0 != "/" }
        if authority.contains("@") {
            throw Defect(reason: "a user name or password belongs in the Authorization header, not in the address")
        }
        let (host, port) = try Self.hostAndPort(of: authority)
        let scheme = explicitScheme ?? (Self.isLoopback(host) ? "http" : "https")
        let isDefaultPort = port == nil || port == (scheme == "https" ? 443 : 80)
        self.scheme = scheme
        self.host = host
        self.port = isDefaultPort ? nil : port
        self.path = try Self.trimmedPath(rest[authority.endIndex...])
        self.origin = "\(scheme)://\(host)" + (isDefaultPort ? "" : ":\(port ?? 0)")
    }

    /// Whether a host is this machine, which needs no TLS.
    static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" || host.hasSuffix(".localhost") || host == "[::1]" {
            return true
        }
        let octets = host.split(separator: ".", omittingEmptySubsequences: false)
        return octets.count == 4 && octets[0] == "127" && octets.allSatisfy { UInt8($0) != nil }
    }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value > 0x20 && scalar.value < 0x7F && !"\"<>\\^`{|}".unicodeScalars.contains(scalar)
    }

    private static func hostAndPort(of authority: Substring) throws(Defect) -> (host: String, port: Int?) {
        var host = authority
        var portText: Substring?
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else {
                throw Defect(reason: "the IPv6 address has no closing bracket")
            }
            host = authority[...end]
            let rest = authority[authority.index(after: end)...]
            guard rest.isEmpty || rest.hasPrefix(":") else {
                throw Defect(reason: "only a port may follow the IPv6 address")
            }
            portText = rest.isEmpty ? nil : rest.dropFirst()
            guard host.dropFirst().dropLast().allSatisfy({ $0.isHexDigit || $0 == ":" || $0 == "." }), host.count > 3
            else {
                throw Defect(reason: "'\(host)' is no IPv6 address")
            }
        } else if let colon = authority.firstIndex(of: ":") {
            host = authority[..<colon]
            portText = authority[authority.index(after: colon)...]
        }
        guard !host.isEmpty else {
            throw Defect(reason: "it names no host")
        }
        guard let portText, !portText.isEmpty else {
            return (host.lowercased(), nil)
        }
        guard portText.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = Int(portText),
            (1...65_535).contains(port)
        else {
            throw Defect(reason: "'\(portText)' is no port number between 1 and 65535")
        }
        return (host.lowercased(), port)
    }

    private static func trimmedPath(_ path: Substring) throws(Defect) -> String {
        var path = path
        while path.hasSuffix("/") {
            path.removeLast()
        }
        for segment in path.split(separator: "/") where segment == "." || segment == ".." {
            throw Defect(reason: "its path holds the dot segment '\(segment)'")
        }
        return String(path)
    }
}
