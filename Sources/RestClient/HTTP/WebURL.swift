// SPDX-License-Identifier: MIT

/// An `http` or `https` URL read as browsers read it: by the URL standard of the WHATWG, which forgives what servers write.
///
/// Redirects are followed by it, because a `Location` is often no URL that RFC 3986 knows. Host names beyond ASCII are not
/// understood: they would need the tables of UTS #46.
struct WebURL: Hashable {
    /// Why a text is not such a URL.
    enum Defect: Error, Hashable {
        case invalid
        /// It is one of another scheme, or relative to nothing.
        case otherScheme
    }

    private(set) var scheme: String
    /// User name and password as they stand before the `@`; empty when there is neither.
    private(set) var userInfo = ""
    private(set) var host = ""
    /// The port, unless it is the scheme's own.
    private(set) var port: Int?
    private(set) var path = "/"
    private(set) var query: String?
    private(set) var fragment: String?

    /// Reads a text, which may be relative to a base.
    init(_ text: String, relativeTo base: WebURL? = nil) throws(Defect) {
        var rest = Self.trimmed(text)
        let scheme = Self.takeScheme(from: &rest)
        guard let known = scheme ?? base?.scheme, known == "http" || known == "https" else {
            throw .otherScheme
        }
        self.scheme = known
        let slashes = rest.prefix { Self.isSlash($0) }.count
        // A scheme that is the base's own may stand before a relative reference: a habit of the first browsers.
        if let base, scheme == nil || (scheme == base.scheme && rest.prefix(2) != Self.twoSlashes), slashes < 2 {
            self = base
            try resolve(rest, isRooted: slashes == 1)
        } else if scheme == nil && slashes < 2 {
            throw .otherScheme
        } else {
            rest = rest.dropFirst(slashes)
            let end = rest.firstIndex { Self.isSlash($0) || $0 == "?" || $0 == "#" } ?? rest.endIndex
            try setAuthority(rest[..<end])
            try resolve(rest[end...], isRooted: true)
        }
    }

    /// Whether scheme, host and port are the same (RFC 6454).
    func hasOrigin(of other: WebURL) -> Bool {
        scheme == other.scheme && host == other.host && port == other.port
    }

    /// The whole URL.
    var text: String {
        textForSending + (fragment.map { "#" + $0 } ?? "")
    }

    /// The URL without its fragment, which is never sent.
    var textForSending: String {
        let authority = (userInfo.isEmpty ? "" : userInfo + "@") + host + (port.map { ":\($0)" } ?? "")
        return "\(scheme)://\(authority)\(path)" + (query.map { "?" + $0 } ?? "")
    }
}

// MARK: - Parts

extension WebURL {
    private typealias Scalars = ArraySlice<Unicode.Scalar>

    private static let twoSlashes: Scalars = ["/", "/"]

    private static func isSlash(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "/" || scalar == "\\"
    }

    /// Without control characters and spaces around it, and without tabs and line breaks anywhere.
    private static func trimmed(_ text: String) -> Scalars {
        var scalars = Array(text.unicodeScalars)[...]
        while let first = scalars.first, first.value <= 0x20 { scalars.removeFirst() }
        while let last = scalars.last, last.value <= 0x20 { scalars.removeLast() }
        return scalars.filter { $0 != "\t" && $0 != "\n" && $0 != "\r" }[...]
    }

    private static func takeScheme(from rest: inout Scalars) -> String? {
        guard let colon = rest.firstIndex(of: ":"), let first = rest.first, first.isASCII, first.properties.isAlphabetic
        else {
            return nil
        }
        let name = rest[..<colon]
        let isScheme = name.allSatisfy { scalar in
            scalar.isASCII
                && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || "+-.".contains(Character(scalar)))
        }
        guard isScheme else {
            return nil
        }
        rest = rest[(colon + 1)...]
        return String(String.UnicodeScalarView(name)).lowercased()
    }

    private mutating func setAuthority(_ authority: Scalars) throws(Defect) {
        userInfo = ""
        var hostAndPort = authority
        if let at = authority.lastIndex(of: "@") {
            hostAndPort = authority[(at + 1)...]
            let parts = authority[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let name = Self.encoded(parts[0], except: Self.reservedInUserInfo)
            let password = parts.count > 1 ? Self.encoded(parts[1], except: Self.reservedInUserInfo) : ""
            userInfo = password.isEmpty ? name : "\(name):\(password)"
        }
        // The colons of an IPv6 address stand in brackets.
        let bracket = hostAndPort.lastIndex(of: "]") ?? hostAndPort.startIndex
        let colon = hostAndPort[bracket...].firstIndex(of: ":")
        host = try WebHost.text(String(String.UnicodeScalarView(hostAndPort[..<(colon ?? hostAndPort.endIndex)])))
        port = nil
        if let colon, colon + 1 < hostAndPort.endIndex {
            let digits = hostAndPort[(colon + 1)...]
            guard digits.allSatisfy({ ("0"..."9").contains($0) }),
                let number = UInt16(String(String.UnicodeScalarView(digits)))
            else {
                throw .invalid
            }
            port = Int(number) == (scheme == "https" ? 443 : 80) ? nil : Int(number)
        }
    }

    /// Takes path, query and fragment of a reference over those that are there.
    private mutating func resolve(_ reference: Scalars, isRooted: Bool) throws(Defect) {
        var rest = reference
        fragment = nil
        if let mark = rest.firstIndex(of: "#") {
            fragment = Self.encoded(rest[(mark + 1)...], except: Self.reservedInFragment)
            rest = rest[..<mark]
        }
        if let mark = rest.firstIndex(of: "?") {
            query = Self.encoded(rest[(mark + 1)...], except: Self.reservedInQuery)
            rest = rest[..<mark]
            if rest.isEmpty && !isRooted {
                return
            }
        } else if !rest.isEmpty || isRooted {
            query = nil
        }
        guard !rest.isEmpty || isRooted else {
            return
        }
        var segments: [String] = []
        if !isRooted {
            segments = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false).dropLast()
                .map(String.init)
        }
        if let first = rest.first, Self.isSlash(first) {
            rest = rest.dropFirst()
        }
        let added = rest.split(omittingEmptySubsequences: false, whereSeparator: Self.isSlash)
        for (index, part) in added.enumerated() {
            let isLast = index == added.count - 1
            let segment = Self.encoded(part, except: Self.reservedInPath)
            switch segment.lowercased().replacing("%2e", with: ".") {
            case ".":
                if isLast { segments.append("") }
            case "..":
                if !segments.isEmpty { segments.removeLast() }
                if isLast { segments.append("") }
            default:
                segments.append(segment)
            }
        }
        path = "/" + segments.joined(separator: "/")
    }

    // MARK: Percent-encode sets

    private static let reservedInFragment: Set<Unicode.Scalar> = [" ", "\"", "<", ">", "`"]
    private static let reservedInQuery: Set<Unicode.Scalar> = [" ", "\"", "#", "<", ">", "'"]
    private static let reservedInPath: Set<Unicode.Scalar> = [" ", "\"", "#", "<", ">", "?", "^", "`", "{", "}"]
    private static let reservedInUserInfo = reservedInPath.union(["/", ":", ";", "=", "@", "[", "\\", "]", "|"])

    /// A text with controls, everything beyond ASCII and some more percent-encoded; what is encoded already stays.
    private static func encoded(_ scalars: Scalars, except reserved: Set<Unicode.Scalar>) -> String {
        var output = ""
        for scalar in scalars {
            if scalar.value > 0x1F, scalar.value < 0x7F, !reserved.contains(scalar) {
                output.unicodeScalars.append(scalar)
            } else {
                PercentEncoding.append(String(Character(scalar)), allowing: .unreserved, to: &output)
            }
        }
        return output
    }
}
