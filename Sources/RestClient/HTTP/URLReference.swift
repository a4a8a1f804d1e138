// SPDX-License-Identifier: MIT

/// A URL taken apart as RFC 3986, appendix B does, and resolved against another one as its section 5.2 does.
package struct URLReference: Hashable {
    package var scheme: String?
    package var authority: String?
    package var path: String
    package var query: String?
    package var fragment: String?

    /// Takes a text apart; it never fails, as every text is a reference.
    package init(_ text: some StringProtocol) {
        var rest = Substring(text)
        if let mark = rest.firstIndex(of: "#") {
            fragment = String(rest[rest.index(after: mark)...])
            rest = rest[..<mark]
        }
        if let mark = rest.firstIndex(of: "?") {
            query = String(rest[rest.index(after: mark)...])
            rest = rest[..<mark]
        }
        if let colon = rest.firstIndex(of: ":"), Self.isScheme(rest[..<colon]) {
            scheme = rest[..<colon].lowercased()
            rest = rest[rest.index(after: colon)...]
        }
        if rest.hasPrefix("//") {
            rest = rest.dropFirst(2)
            let end = rest.firstIndex(of: "/") ?? rest.endIndex
            authority = String(rest[..<end])
            rest = rest[end...]
        }
        path = String(rest)
    }

    /// The reference resolved against this URL.
    func resolving(_ reference: URLReference) -> URLReference {
        var target = reference
        if reference.scheme == nil {
            target.scheme = scheme
            if reference.authority == nil {
                target.authority = authority
                if reference.path.isEmpty {
                    target.path = path
                    target.query = reference.query ?? query
                } else if !reference.path.hasPrefix("/") {
                    let base = path.isEmpty && authority != nil ? "/" : path
                    let folder = base.lastIndex(of: "/").map { base[...$0] } ?? ""
                    target.path = folder + reference.path
                }
            }
        }
        target.path = Self.removingDotSegments(target.path)
        return target
    }

    /// Scheme, host and port, in lower case and without the scheme's own port: what two URLs must share to be of one
    /// origin (RFC 6454).
    var origin: String {
        let scheme = scheme ?? ""
        var host = (authority ?? "").lowercased()
        if let at = host.lastIndex(of: "@") {
            host = String(host[host.index(after: at)...])
        }
        let ownPort = scheme == "https" ? ":443" : ":80"
        if host.hasSuffix(ownPort) {
            host.removeLast(ownPort.count)
        }
        return "\(scheme)://\(host)"
    }

    /// The text of the URL without its fragment, which is never sent.
    var textForSending: String {
        var text = ""
        if let scheme {
            text += scheme + ":"
        }
        if let authority {
            text += "//" + authority
        }
        text += path.isEmpty && authority != nil ? "/" : path
        if let query {
            text += "?" + query
        }
        return text
    }

    /// Whether a segment is `.` or `..`, percent-encoded or not.
    static func isDotSegment(_ segment: Substring) -> Bool {
        guard segment.utf8.count <= 6, segment.hasPrefix(".") || segment.hasPrefix("%") else {
            return false
        }
        let text = PercentEncoding.decode(segment)
        return text == "." || text == ".."
    }

    /// RFC 3986, section 5.2.4.
    private static func removingDotSegments(_ path: String) -> String {
        guard path.contains(where: { $0 == "." || $0 == "%" }) else {
            return path
        }
        var output: [Substring] = []
        let segments = path.split(separator: "/", omittingEmptySubsequences: false)
        for (index, segment) in segments.enumerated() {
            let isLast = index == segments.count - 1
            switch PercentEncoding.decode(segment) {
            case ".":
                if isLast {
                    output.append("")
                }
            case "..":
                if output.count > 1 {
                    output.removeLast()
                }
                if isLast {
                    output.append("")
                }
            default:
                output.append(segment)
            }
        }
        return output.joined(separator: "/")
    }

    private static func isScheme(_ text: Substring) -> Bool {
        guard let first = text.utf8.first, Character(Unicode.Scalar(first)).isLetter, first < 0x80 else {
            return false
        }
        return text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
                true
            default:
                false
            }
        }
    }
}
