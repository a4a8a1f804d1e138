// SPDX-License-Identifier: MIT

import RestEssentials

extension Redaction {
    /// Returns a text of others with the secrets in it masked: those of its URLs and of its items, as in
    /// `token=x; page=2`, also if they are percent-encoded or in JSON.
    ///
    /// Relative references count, too. A URL ends at white space or where another one begins. A secret value ends where
    /// an item of a query does, so that what follows it directly, as in `'https://a.example/?token=x', or`, may be
    /// masked with it. JSON with a secret, and a word that has one in its encoded form, are masked whole.
    ///
    /// The depth says within how many other values the text is; beyond a limit, it is masked whole.
    package static func text(_ text: String, depth: Int = 0) -> String {
        guard mayHoldSecrets(text) else {
            return text
        }
        guard depth <= depthLimit, !holdsSecretJSON(text, depth: depth) else {
            return mask
        }
        let shown = assignments(in: urls(in: text, depth: depth))
        guard shown.utf8.contains(UInt8(ascii: "%")) else {
            return shown
        }
        return replacingWords(in: shown) { holdsEncodedSecret($0, depth: depth) ? mask : String($0) }
    }

    static func replacingWords(in text: some StringProtocol, _ shown: (Substring) -> String) -> String {
        var all = ""
        var rest = Substring(text)
        while !rest.isEmpty {
            let word = rest.prefix { !$0.isWhitespace }
            all += shown(word)
            let space = rest[word.endIndex...].prefix { $0.isWhitespace }
            all += space
            rest = rest[space.endIndex...]
        }
        return all
    }

    /// Returns true if the percent-decoded form of a text holds secrets, or is encoded too often to be looked at.
    static func holdsEncodedSecret(_ text: Substring, depth: Int) -> Bool {
        guard text.utf8.contains(UInt8(ascii: "%")) else {
            return false
        }
        let decoded = PercentEncoding.decode(text)
        guard !decoded.utf8.elementsEqual(text.utf8) else {
            return false
        }
        return depth >= depthLimit
            || !self.text(decoded, depth: depth + 1).utf8.elementsEqual(decoded.utf8)
            || !items(decoded, depth: depth + 1).utf8.elementsEqual(decoded.utf8)
    }

    static func holdsSecretJSON(_ text: some StringProtocol, depth: Int) -> Bool {
        guard let first = text.utf8.first(where: { !isBlank($0) }), "{[".utf8.contains(first),
            let value = try? JSONText.value(of: Data(text.utf8))
        else {
            return false
        }
        return !JSONText.of(JSONText.masked(value, depth: depth)).utf8.elementsEqual(JSONText.of(value).utf8)
    }

    /// Returns true if a text has a byte without which it holds neither items nor a URL with secrets nor JSON.
    private static func mayHoldSecrets(_ text: String) -> Bool {
        var (hasQuote, hasColon) = (false, false)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "="), UInt8(ascii: "%"), UInt8(ascii: "@"): return true
            case UInt8(ascii: "\""), UInt8(ascii: "'"): hasQuote = true
            case UInt8(ascii: ":"): hasColon = true
            default: break
            }
        }
        return hasQuote && hasColon
    }
}

// MARK: - Items in texts

extension Redaction {
    /// Returns a text with the values of secret-looking items in it masked, as in `token=x; page=2`, `sid = "x y"` and
    /// `{"pin": 7}`.
    static func assignments(in text: String) -> String {
        let bytes = text.utf8
        var shown = ""
        var start = bytes.startIndex
        var place = bytes.startIndex
        while let sign = bytes[place...].firstIndex(where: { $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: ":") }) {
            place = bytes.index(after: sign)
            guard let name = secretName(in: bytes[start..<sign], before: bytes[sign]),
                let value = valuePlace(in: bytes[place...], after: bytes[sign]),
                !isNumberOfError(Substring(bytes[value]), named: name)
            else {
                continue
            }
            shown += "\(text[start..<value.lowerBound])\(mask)"
            start = value.upperBound
            place = start
        }
        return shown.isEmpty ? text : "\(shown)\(text[start...])"
    }

    /// Returns the name at the end of a text, without its quotation marks, if it marks what follows as a secret.
    private static func secretName(in text: Substring.UTF8View, before sign: UInt8) -> Substring? {
        guard let end = text.lastIndex(where: { !isBlank($0) }),
            // In other texts than JSON and its likes, a colon ends no name.
            sign == UInt8(ascii: "=") || isQuotation(text[end]),
            let last = text[...end].lastIndex(where: { !isBlank($0) && !isQuotation($0) && $0 != UInt8(ascii: "\\") })
        else {
            return nil
        }
        let front = text[...last]
        let start = front.lastIndex { !isOfName($0) }.map { front.index(after: $0) } ?? front.startIndex
        let name = Substring(front[start...].drop { "-._[]".utf8.contains($0) })
        return !name.isEmpty && isSecretItem(name) ? name : nil
    }

    /// Returns the place of the value at the beginning of a text; `nil` if there is none, or if it is masked already.
    private static func valuePlace(in text: Substring.UTF8View, after sign: UInt8) -> Range<String.Index>? {
        // Also as in `==` and `=>`.
        let value = text.drop { isBlank($0) || $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: ">") }
        let content = value.drop { $0 == UInt8(ascii: "\\") }
        guard let first = content.first, !value.starts(with: mask.utf8) else {
            return nil
        }
        if isQuotation(first) {
            let slashes = value.distance(from: value.startIndex, to: content.startIndex)
            let inside = content.dropFirst()
            let end = endOfQuoted(inside, mark: first, slashes)
            return end > inside.startIndex ? inside.startIndex..<end : nil
        }
        guard sign == UInt8(ascii: "=") || "{[-0123456789".utf8.contains(first) else {
            return nil
        }
        if "{[".utf8.contains(first) || beginsWithScheme(content) {
            return value.startIndex..<value.endIndex
        }
        let word = value.prefix { !isBlank($0) && $0 != UInt8(ascii: "&") }
        let end = word.lastIndex { !";,)]}>\"'".utf8.contains($0) }
        return end.map { value.startIndex..<value.index(after: $0) }
    }

    /// Returns the end of a text within quotation marks.
    ///
    /// A mark with more backslashes before it than the first one is a part of the text.
    private static func endOfQuoted(_ text: Substring.UTF8View, mark: UInt8, _ slashes: Int) -> String.Index {
        var run = 0
        var place = text.startIndex
        while place < text.endIndex {
            if text[place] == mark, run <= slashes {
                return text.index(place, offsetBy: -run)
            }
            run = text[place] == UInt8(ascii: "\\") ? run + 1 : 0
            place = text.index(after: place)
        }
        return place
    }

    /// Returns true if a value begins with a scheme of authentication, so that the words after it are a credential.
    private static func beginsWithScheme(_ value: Substring.UTF8View) -> Bool {
        let word = value.prefix { !isBlank($0) }
        guard word.endIndex < value.endIndex, word.count <= 9 else {
            return false
        }
        return ["apikey", "basic", "bearer", "digest", "dpop", "hmac", "negotiate", "token"]
            .contains(Substring(word).lowercased())
    }

    /// Returns true for the number of an error or a status, as systems print it: `Code=260`.
    private static func isNumberOfError(_ value: Substring, named name: Substring) -> Bool {
        let digits = value.utf8.drop { $0 == UInt8(ascii: "-") }
        return digits.count <= 5 && digits.allSatisfy(\.isDigit)
            && name.utf8.count == 4 && name.lowercased() == "code"
    }

    /// Returns true for the bytes of a name: letters, digits, those of other scripts, and those between words.
    private static func isOfName(_ byte: UInt8) -> Bool {
        byte.isLetter || byte.isDigit || byte >= 0x80 || "-._%[]".utf8.contains(byte)
    }

    private static func isQuotation(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'")
    }
}
