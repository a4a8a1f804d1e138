// SPDX-License-Identifier: MIT

import RestEssentials

// MARK: - URLs from programs

extension HTTPURL {
    /// Parses the URL of a request as it is sent.
    ///
    /// A text that the strict parser refuses, as an interceptor may write one, is read as browsers do, without a user
    /// name, and is then sent as that: ``writtenText`` is what goes out.
    package init(sent text: String) throws(Defect) {
        if let strict = try? HTTPURL(whole: text) {
            self = strict
            return
        }
        var lenient = try HTTPURL(text)
        lenient.userInfo = ""
        try self.init(whole: lenient.textForSending)
    }

    /// Parses a whole URL, and keeps its path and query as they are written.
    package init(whole text: String) throws(Defect) {
        guard !MarkRun.isExcessive(text) else {
            throw .invalid
        }
        guard let separator = text.firstRange(of: "://") else {
            throw .otherScheme
        }
        let scheme = text[..<separator.lowerBound].lowercased()
        guard scheme == "http" || scheme == "https" else {
            throw .otherScheme
        }
        // Servers accept more in a path or a query than RFC 3986 allows, and signatures cover the text as it is
        // written.
        if let bad = text.unicodeScalars.first(where: { $0.value <= 0x20 || $0.value >= 0x7F }) {
            throw Defect(reason: "\(Self.name(of: bad)) must be percent-encoded")
        }
        let rest = text[separator.upperBound...]
        let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        self.init(scheme: scheme)
        try setStrictAuthority(authority, scheme: scheme)
        let target = rest[authority.endIndex...].prefix { $0 != "#" }
        path = String(target.prefix { $0 != "?" })
        query = target.firstIndex(of: "?").map { String(target[target.index(after: $0)...]) }
        fragment = target.endIndex == rest.endIndex ? nil : String(rest[target.endIndex...].dropFirst())
    }

    /// Parses a server's address: a host with optional scheme, port and path.
    ///
    /// An address without a scheme gets `https`, except loopback, which gets `http`. Trailing slashes of the path are
    /// removed.
    init(server address: String) throws(Defect) {
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
        if let bad = rest.unicodeScalars.first(where: { !Self.isAllowed($0) }) {
            throw Defect(
                reason: "it contains \(Self.name(of: bad)), which a URL cannot hold; "
                    + "write international host names in their xn-- form"
            )
        }
        if rest.contains("?") || rest.contains("#") {
            throw Defect(reason: "a query or fragment belongs to a request, not to a server")
        }
        let authority = rest.prefix { $0 != "/" }
        self.init(scheme: "https")
        try setStrictAuthority(authority, scheme: explicitScheme)
        path = String(rest[authority.endIndex...])
        while path.hasSuffix("/") {
            path.removeLast()
        }
        if let segment = PathReading.dotSegment(in: path) {
            throw Defect(reason: "its path contains the dot segment '\(segment)'")
        }
    }

    var prefix: String { "\(scheme)://\(authority)\(path)" }

    private static func name(of scalar: Unicode.Scalar) -> String {
        "U+\(String(scalar.value, radix: 16, uppercase: true))"
    }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value > 0x20 && scalar.value < 0x7F && !"\"<>\\^`{|}".unicodeScalars.contains(scalar)
    }

    /// Sets scheme, host and port; without a scheme, the host decides.
    private mutating func setStrictAuthority(_ authority: Substring, scheme explicit: String?) throws(Defect) {
        if authority.contains("@") {
            throw Defect(reason: "a user name or password belongs in the Authorization header, not in the address")
        }
        var name = authority
        var portText: Substring?
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else {
                throw Defect(reason: "the IPv6 address has no closing bracket")
            }
            name = authority[...end]
            let rest = authority[authority.index(after: end)...]
            guard rest.isEmpty || rest.hasPrefix(":") else {
                throw Defect(reason: "only a port may follow the IPv6 address")
            }
            portText = rest.isEmpty ? nil : rest.dropFirst()
        } else if let colon = authority.firstIndex(of: ":") {
            name = authority[..<colon]
            portText = authority[authority.index(after: colon)...]
        }
        guard !name.isEmpty else {
            throw Defect(reason: "it has no host")
        }
        do throws(Defect) {
            host = try Self.canonicalHost(String(name))
        } catch {
            let kind = name.hasPrefix("[") ? "an IPv6 address" : "a host name"
            throw Defect(reason: "'\(name)' is not \(kind)")
        }
        scheme = explicit ?? (Self.isLoopback(host) ? "http" : "https")
        guard let portText, !portText.isEmpty else {
            return
        }
        guard FieldList.isNumber(portText), let number = Int(portText), (1...65_535).contains(number) else {
            throw Defect(reason: "'\(portText)' is not a port number between 1 and 65535")
        }
        port = number == defaultPort ? nil : number
    }
}
