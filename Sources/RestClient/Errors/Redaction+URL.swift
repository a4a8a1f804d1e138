// SPDX-License-Identifier: MIT

import RestEssentials

extension Redaction {
    /// Returns a URL with the values of secret-looking items of its query and its fragment masked, and without user
    /// name and password.
    ///
    /// The same holds for URLs in the values of other items.
    package static func url(_ url: String) -> String {
        let url = address(url)
        guard let mark = url.utf8.firstIndex(where: isMark) else {
            return path(Substring(url))
        }
        let start = url.utf8.index(after: mark)
        return path(url[..<mark]) + url[mark..<start] + query(url[start...], depth: 0)
    }

    /// Returns a URL without its fragment, with only those items of its query shown that a caller allows, and the
    /// secrets in the shown values masked, too.
    ///
    /// Its masks are percent-encoded, so that it is a URL again, except for that of the user information. Masking it
    /// again changes nothing.
    package static func url(_ url: String, showing isShown: (_ name: String, _ isSecret: Bool) -> Bool) -> String {
        let url = address(String(HTTPURL.withoutFragment(url)))
        guard let mark = url.utf8.firstIndex(of: UInt8(ascii: "?")) else {
            return path(Substring(url), masking: encodedMask)
        }
        let start = url.utf8.index(after: mark)
        let query = items(QueryItems.split(url[start...], omittingEmpty: false), showing: isShown)
        return path(url[..<mark], masking: encodedMask) + url[mark..<start] + query
    }

    package static func items(
        _ items: [QueryItems.Item],
        showing isShown: (_ name: String, _ isSecret: Bool) -> Bool
    ) -> String {
        let hasCode = holdCode(items)
        return
            items.map { name, value -> String in
                // A URL may begin in the middle of an item, which has no name then.
                guard !holdsAddress(name) else {
                    return encodedMask
                }
                let isSecret = isSecretItem(name) || (hasCode && isState(name))
                guard isShown(PercentEncoding.decode(name), isSecret) else {
                    return value != nil ? "\(name)=\(encodedMask)" : name.isEmpty ? "" : encodedMask
                }
                let text = value.map { "\(name)=\(shownParts(of: $0, depth: 0))" } ?? shown(name, depth: 0)
                return text.replacing(mask, with: encodedMask)
            }
            .joined(separator: "&")
    }

    /// Returns the items of a form, with the values of secret-looking ones masked, and texts that are not items.
    static func form(_ form: [QueryItems.Item]) -> String {
        let hasCode = holdCode(form)
        return form.map { $0.value == nil ? mask : item($0.name, $0.value, depth: 0, besideCode: hasCode) }
            .joined(separator: "&")
    }

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
        let end = front.lastIndex { !$0.isSlash && !isBlank($0) }.map { bytes.index(after: $0) } ?? bytes.startIndex
        let slashes = bytes[end...].prefix { $0.isSlash || isBlank($0) }.indices.filter { bytes[$0].isSlash }
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
    /// The number of URLs and other texts within values of one another that are looked at.
    static let depthLimit = 4

    private static let encodedMask = PercentEncoding.encode(mask)

    static func urls(in text: some StringProtocol, depth: Int) -> String {
        guard mayHoldItems(text) else {
            return String(text)
        }
        guard depth <= depthLimit else {
            return mask
        }
        return replacingWords(in: text) { mayHoldItems($0) ? urls(inWord: $0, depth: depth) : String($0) }
    }

    private static func urls(inWord word: Substring, depth: Int) -> String {
        let mark = word.utf8.firstIndex(where: isMark) ?? word.endIndex
        // An at sign without a slash before it is that of an address of mail.
        let front = word[..<mark]
        let address = front.utf8.firstRange(of: "//".utf8) == nil ? String(front) : addresses(in: front)
        guard mark < word.endIndex else {
            return path(Substring(address))
        }
        let start = word.utf8.index(after: mark)
        return path(Substring(address)) + word[mark..<start] + query(word[start...], depth: depth)
    }

    /// Returns a path with the values of secret-looking parameters of its segments masked, as in `/a;jsessionid=x`.
    private static func path(_ text: Substring, masking mask: String = Redaction.mask) -> String {
        guard text.utf8.contains(where: { $0 == UInt8(ascii: ";") || $0 == UInt8(ascii: "%") }) else {
            return String(text)
        }
        return text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .map { segment -> String in
                let shown = parameters(Substring(segment), masking: mask)
                guard shown.utf8.contains(UInt8(ascii: "%")) else {
                    return shown
                }
                // A server may decode a segment before it looks for parameters.
                let decoded = PercentEncoding.decode(shown)
                let masked = parameters(Substring(decoded), masking: Redaction.mask)
                return masked.utf8.elementsEqual(decoded.utf8) ? shown : mask
            }
            .joined(separator: "/")
    }

    private static func parameters(_ segment: Substring, masking mask: String) -> String {
        segment.utf8.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).enumerated()
            .map { place, part -> String in
                guard place > 0, let equals = part.firstIndex(of: UInt8(ascii: "=")),
                    isSecretItem(Substring(part[..<equals]))
                else {
                    return String(Substring(part))
                }
                return "\(Substring(part[..<equals]))=\(mask)"
            }
            .joined(separator: ";")
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

    private static func query(_ text: Substring, depth: Int) -> String {
        text.utf8.split(separator: UInt8(ascii: "#"), omittingEmptySubsequences: false)
            .map { items(Substring($0), depth: depth) }
            .joined(separator: "#")
    }

    static func items(_ text: some StringProtocol, depth: Int) -> String {
        let items = QueryItems.split(text, omittingEmpty: false)
        let hasCode = holdCode(items)
        return items.map { item($0, $1, depth: depth, besideCode: hasCode) }.joined(separator: "&")
    }

    private static func item(
        _ name: Substring,
        _ value: Substring?,
        depth: Int,
        besideCode: Bool
    ) -> String {
        guard !holdsAddress(name) else {
            // A URL whose query begins in the middle of an item.
            return urls(in: value.map { "\(name)=\($0)" } ?? String(name), depth: depth + 1)
        }
        guard let value else {
            return shown(name, depth: depth)
        }
        guard !isSecretItem(name), !(besideCode && isState(name)) else {
            return "\(name)=\(mask)"
        }
        return "\(name)=\(shownParts(of: value, depth: depth))"
    }

    /// Returns the value of an item with the secrets in it masked, and those of the items that follow semicolons.
    private static func shownParts(of value: Substring, depth: Int) -> String {
        // Some servers separate items by semicolons; the password of an address may have one.
        guard value.utf8.contains(UInt8(ascii: ";")), !value.utf8.contains(UInt8(ascii: "@")), !holdsAddress(value)
        else {
            return shown(value, depth: depth)
        }
        let parts = value.utf8.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
        var all = shown(Substring(parts[0]), depth: depth)
        for part in parts.dropFirst() {
            guard let equals = part.firstIndex(of: UInt8(ascii: "=")) else {
                all += ";\(shown(Substring(part), depth: depth))"
                continue
            }
            let name = Substring(part[..<equals])
            guard !isSecretItem(name) else {
                // What follows may belong to the secret.
                return "\(all);\(name)=\(mask)"
            }
            all += ";\(name)=\(shown(Substring(part[part.index(after: equals)...]), depth: depth))"
        }
        return all
    }

    static func isSecretItem(_ name: Substring) -> Bool {
        let name = name.utf8.contains(UInt8(ascii: "%")) ? Substring(PercentEncoding.decode(name)) : name
        guard !Credentials.isSecret(name) else {
            return true
        }
        // The query of a route in a fragment, or an item behind one that has no value.
        let mark = name.utf8.lastIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: ";") }
        return mark.map { Credentials.isSecret(name[name.utf8.index(after: $0)...]) } ?? false
    }

    /// Returns true if items are those of a redirect of OAuth, in which `state` guards a session.
    private static func holdCode(_ items: [QueryItems.Item]) -> Bool {
        items.contains { isState($0.name) }
            && items.contains { item in
                ["code", "error", "client_id", "response_type", "id_token", "access_token"]
                    .contains { item.name.utf8.elementsEqual($0.utf8) }
            }
    }

    private static func isState(_ name: Substring) -> Bool {
        name.utf8.elementsEqual("state".utf8)
    }

    private static func shown(_ value: Substring, depth: Int) -> String {
        guard !holdsEncodedSecret(value, depth: depth), !holdsSecretJSON(value, depth: depth) else {
            return mask
        }
        return assignments(in: urls(in: value, depth: depth + 1))
    }

    /// Returns true if a text may hold a URL, a relative reference with items, or a path with parameters.
    private static func mayHoldItems(_ text: some StringProtocol) -> Bool {
        holdsAddress(text)
            || (text.utf8.contains(UInt8(ascii: "=")) && text.utf8.contains { isMark($0) || $0 == UInt8(ascii: ";") })
            || (text.utf8.contains(UInt8(ascii: "@")) && text.utf8.firstRange(of: "//".utf8) != nil)
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

    static func isBlank(_ byte: UInt8) -> Bool {
        byte <= UInt8(ascii: " ")
    }
}
