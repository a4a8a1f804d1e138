// SPDX-License-Identifier: MIT

/// The parts of an absolute `http` or `https` URL.
///
/// There are two parsers. The strict initializers parse what a program writes (a server's address, a whole URL), keep
/// path and query unchanged, and explain any defect. The lenient one parses what servers write, by the URL standard of
/// the WHATWG, and resolves references. Both produce hosts in the same canonical form, so that origins can be compared.
///
/// What is decided about a request (its server, its pins, its cookies) is decided by the parse of the text that is
/// sent: ``init(sent:)``.
package struct HTTPURL: Hashable, Sendable {
    package struct Defect: Error, Hashable {
        let reason: String

        static let invalid = Defect(reason: "it is not a valid URL")
        static let otherScheme = Defect(reason: "it does not begin with http:// or https://")
    }

    /// `http` or `https`.
    package var scheme: String
    var userInfo = ""
    /// The host in canonical form: lower case, IPv6 addresses in brackets.
    var host = ""
    /// The port, unless it is the default port of the scheme.
    var port: Int?
    /// The path, percent-encoded; for a server's address it is empty, or begins with a slash and does not end with one.
    var path = ""
    var query: String?
    var fragment: String?

    init(scheme: String) {
        self.scheme = scheme
    }

    /// Scheme, host and port, as in `https://example.com:8443` (RFC 6454).
    ///
    /// Two URLs have the same origin if these texts are equal. Credentials are sent within one origin only.
    var origin: String { "\(scheme)://\(comparedHost)" + (port.map { ":\($0)" } ?? "") }

    /// The host by which servers are distinguished: without the dot at the end of an absolute name, which leads to the
    /// same server.
    ///
    /// Connections, `Host` and texts that are sent keep the dot: it says that no search domain is tried.
    var comparedHost: String { Self.withoutFinalDot(host) }

    static func withoutFinalDot(_ host: String) -> String {
        host.utf8.last == UInt8(ascii: ".") ? String(host.dropLast()) : host
    }

    package var authority: String { port.map { "\(host):\($0)" } ?? host }

    package var bareHost: String { host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host }

    var defaultPort: Int { scheme == "https" ? 443 : 80 }

    package var effectivePort: Int { port ?? defaultPort }

    var text: String {
        let credentials = userInfo.isEmpty ? "" : userInfo + "@"
        return "\(scheme)://\(credentials)\(authority)\(path)" + (query.map { "?" + $0 } ?? "")
            + (fragment.map { "#" + $0 } ?? "")
    }

    /// The text that is sent: without the fragment, which is never sent, and percent-encoded by RFC 3986.
    ///
    /// This is stricter than the WHATWG: a few characters that browsers send unencoded, like `|`, are not allowed in a
    /// URL.
    var textForSending: String {
        var url = self
        url.fragment = nil
        if path.isEmpty {
            url.path = "/"
        }
        return PercentEncoding.encode(url.text, allowing: .unreservedAndReserved)
    }

    package var target: String { (path.isEmpty ? "/" : path) + (query.map { "?" + $0 } ?? "") }

    /// The text without the fragment, with path and query as they are written.
    var writtenText: String { "\(scheme)://\(authority)\(target)" }

    func hasOrigin(of other: HTTPURL) -> Bool {
        scheme == other.scheme && port == other.port && comparedHost == other.comparedHost
    }

    package static func isLoopback(_ host: String) -> Bool {
        let host = withoutFinalDot(host)
        if host == "localhost" || host.hasSuffix(".localhost") || host == "[::1]" || host == "::1" {
            return true
        }
        let octets = host.split(separator: ".", omittingEmptySubsequences: false)
        return octets.count == 4 && octets[0] == "127" && octets.allSatisfy { UInt8($0) != nil }
    }
}

// MARK: - Dot segments

extension HTTPURL {
    /// Returns true if a segment is `.` or `..`, percent-encoded or not.
    static func isDotSegment(_ segment: some StringProtocol) -> Bool {
        guard segment.utf8.count <= 6, segment.hasPrefix(".") || segment.hasPrefix("%") else {
            return false
        }
        let text = PercentEncoding.decode(segment)
        return text == "." || text == ".."
    }

    /// Returns the path of some segments followed by others, dot segments resolved.
    static func appending<Segments: Collection>(_ added: Segments, to segments: [String]) -> String
    where Segments.Element: StringProtocol {
        var segments = segments
        for (index, segment) in added.enumerated() {
            guard isDotSegment(segment) else {
                segments.append(String(segment))
                continue
            }
            if PercentEncoding.decode(segment) == "..", !segments.isEmpty {
                segments.removeLast()
            }
            if index == added.count - 1 {
                segments.append("")
            }
        }
        return "/" + segments.joined(separator: "/")
    }
}

// MARK: - Parts of a text

extension HTTPURL {
    package static func path(of text: some StringProtocol) -> Substring {
        var rest = beginning(of: text)
        if let colon = rest.firstIndex(of: UInt8(ascii: ":")), isScheme(Substring(rest[..<colon])) {
            rest = rest[rest.index(after: colon)...]
        }
        guard rest.starts(with: "//".utf8) else {
            return Substring(rest)
        }
        rest = rest.dropFirst(2)
        return Substring(rest[(rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex)...])
    }

    package static func query(of text: some StringProtocol) -> Substring? {
        let bytes = withoutFragment(text).utf8
        return bytes.firstIndex(of: UInt8(ascii: "?")).map { Substring(bytes[bytes.index(after: $0)...]) }
    }

    package static func withoutFragment(_ text: some StringProtocol) -> Substring {
        Substring(Substring(text).utf8.prefix { $0 != UInt8(ascii: "#") })
    }

    /// Returns what is before the query and the fragment.
    ///
    /// Bytes separate, not characters: a question mark with a combining mark behind it is another character.
    static func beginning(of text: some StringProtocol) -> Substring.UTF8View {
        Substring(text).utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    }

    static func hasScheme(_ text: some StringProtocol) -> Bool {
        let bytes = beginning(of: text)
        return bytes.firstIndex(of: UInt8(ascii: ":")).map { isScheme(Substring(bytes[..<$0])) } ?? false
    }

    static func isScheme(_ text: some StringProtocol) -> Bool {
        guard let first = text.utf8.first, first.isLetter else {
            return false
        }
        return text.utf8.allSatisfy(isOfScheme)
    }

    static func isOfScheme(_ byte: UInt8) -> Bool {
        byte.isLetter || byte.isDigit || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
            || byte == UInt8(ascii: ".")
    }
}
