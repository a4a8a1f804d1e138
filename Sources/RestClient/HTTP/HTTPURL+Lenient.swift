// SPDX-License-Identifier: MIT

// MARK: - URLs from servers

extension HTTPURL {
    /// Parses a URL as browsers do, by the URL standard of the WHATWG, which tolerates the mistakes of servers.
    ///
    /// Redirects use this parser, because a `Location` often is not a URL by RFC 3986. Host names outside ASCII are not
    /// supported, because they require the tables of UTS #46.
    package init(_ text: String, relativeTo base: HTTPURL? = nil) throws(Defect) {
        var rest = Self.trimmed(text)
        let scheme = Self.takeScheme(from: &rest)
        guard let known = scheme ?? base?.scheme, known == "http" || known == "https" else {
            throw .otherScheme
        }
        self.init(scheme: known)
        let slashes = rest.prefix { Self.isSlash($0) }.count
        // The base's own scheme may precede a relative reference: a habit of the first browsers.
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
}

// MARK: - Parts

extension HTTPURL {
    private typealias Scalars = ArraySlice<Unicode.Scalar>

    private static let twoSlashes: Scalars = ["/", "/"]

    private static func isSlash(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "/" || scalar == "\\"
    }

    /// Returns a text without surrounding control characters and spaces, and without any tabs and line breaks.
    private static func trimmed(_ text: String) -> Scalars {
        var scalars = Array(text.unicodeScalars)[...]
        while let first = scalars.first, first.value <= 0x20 { scalars.removeFirst() }
        while let last = scalars.last, last.value <= 0x20 { scalars.removeLast() }
        return scalars.filter { $0 != "\t" && $0 != "\n" && $0 != "\r" }[...]
    }

    private static func takeScheme(from rest: inout Scalars) -> String? {
        guard let colon = rest.firstIndex(of: ":") else {
            return nil
        }
        let name = text(of: rest[..<colon])
        guard isScheme(name) else {
            return nil
        }
        rest = rest[(colon + 1)...]
        return name.lowercased()
    }

    private static func text(of scalars: Scalars) -> String { String(String.UnicodeScalarView(scalars)) }

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
        // The colons of an IPv6 address are inside brackets.
        let bracket = hostAndPort.lastIndex(of: "]") ?? hostAndPort.startIndex
        let colon = hostAndPort[bracket...].firstIndex(of: ":")
        host = try Self.canonicalHost(Self.text(of: hostAndPort[..<(colon ?? hostAndPort.endIndex)]))
        port = nil
        if let colon, colon + 1 < hostAndPort.endIndex {
            let digits = Self.text(of: hostAndPort[(colon + 1)...])
            guard FieldList.isNumber(digits), let number = UInt16(digits) else {
                throw .invalid
            }
            port = Int(number) == defaultPort ? nil : Int(number)
        }
    }

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
        path = Self.appending(added.map { Self.encoded($0, except: Self.reservedInPath) }, to: segments)
    }

    // MARK: - Percent-encode sets

    private static let reservedInFragment: Set<Unicode.Scalar> = [" ", "\"", "<", ">", "`"]
    private static let reservedInQuery: Set<Unicode.Scalar> = [" ", "\"", "#", "<", ">", "'"]
    private static let reservedInPath: Set<Unicode.Scalar> = [" ", "\"", "#", "<", ">", "?", "^", "`", "{", "}"]
    private static let reservedInUserInfo = reservedInPath.union(["/", ":", ";", "=", "@", "[", "\\", "]", "|"])

    /// Returns a text with control characters, characters outside ASCII and the reserved characters percent-encoded;
    /// existing encodings are kept.
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
