// SPDX-License-Identifier: MIT

extension Redaction {
    /// Returns a URL with the values of secret-looking items of its query and its fragment masked, and without user
    /// name and password.
    ///
    /// The same holds for URLs in the values of other items.
    package static func url(_ url: String) -> String {
        let url = address(url)
        guard let mark = url.utf8.firstIndex(where: isMark) else {
            return url
        }
        let start = url.utf8.index(after: mark)
        return url[..<start] + query(url[start...], depth: 0)
    }

    /// Returns the items of a query or of a form, with the values of secret-looking ones masked.
    package static func items(_ text: some StringProtocol) -> String {
        items(text, depth: 0)
    }

    /// Returns an address without user name and password.
    package static func address(_ address: String) -> String {
        // Bytes separate, not characters: one with a combining mark behind it is another character.
        let bytes = address.utf8
        guard bytes.contains(UInt8(ascii: "@")) else {
            return address
        }
        let start = slashBeforeAuthority(in: bytes).map { bytes.index(after: $0) } ?? bytes.startIndex
        // A backslash does not end an authority here, or a password with one would be shown.
        let authority = bytes[start...].prefix { !endsAuthority($0) }
        guard let at = authority.lastIndex(of: UInt8(ascii: "@")) else {
            return address
        }
        return "\(address[..<start])\(mask)\(address[at...])"
    }

    /// Returns the last of the slashes before the authority of an address; `nil` if there are none.
    ///
    /// They include those that the lenient parser of ``HTTPURL`` skips: any number, some of them backslashes, with
    /// blanks that it drops.
    private static func slashBeforeAuthority(in bytes: String.UTF8View) -> String.Index? {
        let front = bytes.prefix { !endsAuthority($0) && $0 != UInt8(ascii: "@") }
        guard bytes[front.endIndex...].first == UInt8(ascii: "/") else {
            return nil
        }
        let end = front.lastIndex { !isSlash($0) && !isBlank($0) }.map { bytes.index(after: $0) } ?? bytes.startIndex
        let slashes = bytes[end...].prefix { isSlash($0) || isBlank($0) }.indices.filter { isSlash(bytes[$0]) }
        let scheme = bytes[..<end]
        if scheme.isEmpty {
            // A single slash begins a path.
            return slashes.count > 1 ? slashes.last : nil
        }
        guard scheme.last == UInt8(ascii: ":") else {
            return nil
        }
        return allowsAnySlashes(after: scheme.dropLast()) ? slashes.last : slashes.dropFirst().first
    }

    /// Returns true if parsers accept any number of slashes after the scheme with which a text ends.
    ///
    /// A missing scheme is taken for such a one.
    private static func allowsAnySlashes(after text: Substring.UTF8View) -> Bool {
        // Parsers drop tabs and line breaks, also within the scheme.
        let bytes = text.filter { !"\t\n\r".utf8.contains($0) }
        guard let scheme = bytes.split(whereSeparator: { !HTTPURL.isOfScheme($0) }).last else {
            return true
        }
        // The special schemes of the WHATWG, without `file`, whose URLs have no user information.
        return ["http", "https", "ws", "wss", "ftp"].contains(String(decoding: scheme, as: UTF8.self).lowercased())
    }

    /// Returns a text with the secrets of the URLs in it masked.
    ///
    /// A URL ends at white space or where another one begins. A secret value ends where an item of a query does, so
    /// that what follows it directly, as in `'https://a.example/?token=x', or`, may be masked with it.
    package static func urls(in text: String) -> String {
        urls(in: text, depth: 0)
    }

    /// Returns the value of a `Link` field (RFC 8288) with the targets and the parameters masked.
    package static func links(
        in value: String,
        masking target: (String) -> String,
        parameters: (String) -> String
    ) -> String {
        // The targets of links stand in angle brackets, and their parameters between them.
        value.utf8.split(separator: UInt8(ascii: "<"), omittingEmptySubsequences: false)
            .map { part in
                let end = part.firstIndex(of: UInt8(ascii: ">")) ?? part.endIndex
                return target(String(Substring(part[..<end]))) + parameters(String(Substring(part[end...])))
            }
            .joined(separator: "<")
    }
}

// MARK: - URLs in texts

extension Redaction {
    /// The number of URLs within values of one another that are looked at.
    private static let depthLimit = 4

    private static func urls(in text: some StringProtocol, depth: Int) -> String {
        guard holdsAddress(text) else {
            return String(text)
        }
        guard depth <= depthLimit else {
            return mask
        }
        var shown = ""
        var rest = Substring(text)
        while !rest.isEmpty {
            let word = rest.prefix { !$0.isWhitespace }
            shown += holdsAddress(word) ? urls(inWord: word, depth: depth) : String(word)
            let space = rest[word.endIndex...].prefix { $0.isWhitespace }
            shown += space
            rest = rest[space.endIndex...]
        }
        return shown
    }

    private static func urls(inWord word: Substring, depth: Int) -> String {
        guard let mark = word.utf8.firstIndex(where: isMark) else {
            return addresses(in: word)
        }
        let start = word.utf8.index(after: mark)
        return addresses(in: word[..<mark]) + word[mark..<start] + query(word[start...], depth: depth)
    }

    /// Returns addresses that follow one another, with any characters between them, without user names and passwords.
    private static func addresses(in text: Substring) -> String {
        let bytes = text.utf8
        var shown = ""
        var start = bytes.startIndex
        var end = bytes.startIndex
        while let mark = bytes[end...].firstRange(of: "://".utf8) {
            let before = bytes[end..<mark.lowerBound].lastIndex { !HTTPURL.isOfScheme($0) }
            let scheme = before.map { bytes.index(after: $0) } ?? end
            shown += address(String(text[start..<scheme]))
            start = scheme
            end = mark.upperBound
        }
        return shown + address(String(text[start...]))
    }

    /// Returns what follows the first question mark or number sign of a URL.
    private static func query(_ text: Substring, depth: Int) -> String {
        text.utf8.split(separator: UInt8(ascii: "#"), omittingEmptySubsequences: false)
            .map { items(Substring($0), depth: depth) }
            .joined(separator: "#")
    }

    private static func items(_ text: some StringProtocol, depth: Int) -> String {
        QueryItems.split(text, omittingEmpty: false).map { item($0, $1, depth: depth) }.joined(separator: "&")
    }

    private static func item(_ name: Substring, _ value: Substring?, depth: Int) -> String {
        guard !holdsAddress(name) else {
            // A URL whose query begins in the middle of an item.
            return urls(in: value.map { "\(name)=\($0)" } ?? String(name), depth: depth + 1)
        }
        guard let value else {
            return String(name)
        }
        return "\(name)=\(isSecretItem(name) ? mask : shown(value, depth: depth))"
    }

    private static func isSecretItem(_ name: Substring) -> Bool {
        let name = name.utf8.contains(UInt8(ascii: "%")) ? Substring(PercentEncoding.decode(name)) : name
        guard !isSecret(name) else {
            return true
        }
        // The query of a route in a fragment.
        let mark = name.utf8.lastIndex(of: UInt8(ascii: "?"))
        return mark.map { isSecret(name[name.utf8.index(after: $0)...]) } ?? false
    }

    /// Returns the value of an item with the secrets of URLs in it masked.
    private static func shown(_ value: Substring, depth: Int) -> String {
        if value.utf8.contains(UInt8(ascii: "%")) {
            let decoded = PercentEncoding.decode(value)
            if holdsAddress(decoded), !urls(in: decoded, depth: depth + 1).utf8.elementsEqual(decoded.utf8) {
                return mask
            }
        }
        return urls(in: value, depth: depth + 1)
    }

    private static func holdsAddress(_ text: some StringProtocol) -> Bool {
        text.utf8.contains(UInt8(ascii: ":")) && text.utf8.firstRange(of: "://".utf8) != nil
    }

    private static func isMark(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
    }

    private static func endsAuthority(_ byte: UInt8) -> Bool {
        isMark(byte) || byte == UInt8(ascii: "/")
    }

    private static func isSlash(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\\")
    }

    /// Returns true for spaces and control characters.
    private static func isBlank(_ byte: UInt8) -> Bool {
        byte <= UInt8(ascii: " ")
    }
}
