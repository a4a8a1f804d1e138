// SPDX-License-Identifier: MIT

import RestEssentials

/// A parsed `Set-Cookie` field (RFC 6265, section 5.2), before its domain is judged.
struct SetCookieField {
    /// The most bytes that a name and its value may have together.
    private static let sizeLimit = 4_096
    private static let attributeLimit = 1_024
    private static let longestLife = 400.0 * 86_400

    let name: String
    let value: String
    /// The domain that it names, in lower case and without its first dot.
    private(set) var domain: String?
    /// The path that it names, if that begins with a slash.
    private(set) var path: String?
    private(set) var expires: Date?
    private(set) var isSecure = false

    init?(_ text: String, at now: Date) {
        guard !text.utf8.contains(where: { ($0 < 0x20 && $0 != 0x09) || $0 == 0x7F }) else {
            return nil
        }
        var parts =
            text.utf8.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
            .map(Substring.init)[...]
        guard let first = parts.popFirst(), let pair = Self.pair(first) else {
            return nil
        }
        name = String(pair.name)
        value = String(pair.value)
        guard !name.isEmpty, name.utf8.count + value.utf8.count <= Self.sizeLimit else {
            return nil
        }
        var date: Date?
        var age: Date?
        for part in parts {
            let (attribute, value) = Self.pair(part) ?? (FieldList.trimmed(part), "")
            guard value.utf8.count <= Self.attributeLimit else {
                continue
            }
            switch FieldList.token(attribute) {
            case "expires": date = CookieDate.date(value) ?? date
            case "max-age": age = Self.end(of: value, at: now) ?? age
            case "domain" where !value.isEmpty:
                // A host outside ASCII matches none: URLs have the form xn--.
                let isDotted = value.utf8.first == UInt8(ascii: ".")
                domain = FieldList.token(Substring(value.utf8.dropFirst(isDotted ? 1 : 0)))
            case "path": path = value.utf8.first == UInt8(ascii: "/") ? String(value) : nil
            case "secure": isSecure = true
            default: break
            }
        }
        let latest = now.addingTimeInterval(Self.longestLife)
        expires = (age ?? date).map { min($0, latest) }
    }

    /// Returns what stands before and behind the first equals sign, as a byte: with a combining mark behind it, it is
    /// another character.
    private static func pair(_ text: Substring) -> (name: Substring, value: Substring)? {
        text.utf8.firstIndex(of: UInt8(ascii: "="))
            .map { sign in
                (FieldList.trimmed(text[..<sign]), FieldList.trimmed(text[text.utf8.index(after: sign)...]))
            }
    }

    private static func end(of text: Substring, at now: Date) -> Date? {
        let digits = Substring(text.utf8.first == UInt8(ascii: "-") ? text.utf8.dropFirst() : text.utf8[...])
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        guard digits.utf8.count == text.utf8.count, let seconds = Double(digits), seconds > 0 else {
            return Date(timeIntervalSince1970: 0)
        }
        return now.addingTimeInterval(min(seconds, longestLife))
    }
}

/// Parses dates as cookies have them, which servers write in many ways (RFC 6265, section 5.1.1).
enum CookieDate {
    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]

    static func date(_ text: Substring) -> Date? {
        var time: String?
        var day: Int?
        var month: String?
        var year: Int?
        let tokens = text.utf8.split { byte in
            switch byte {
            case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
            default: false
            }
        }
        for token in tokens {
            let token = String(decoding: token, as: UTF8.self)
            guard !MarkRun.isExcessive(token) else {
                continue
            }
            if time == nil, let found = clock(token) {
                time = found
            } else if day == nil, let number = number(token, digits: 1...2) {
                day = number
            } else if month == nil, months.contains(FieldList.token(token.prefix(3))) {
                month = token.prefix(3).lowercased()
            } else if year == nil, let number = number(token, digits: 2...4) {
                year = number
            }
        }
        guard let time, let day, let month, var year else {
            return nil
        }
        if year < 100 {
            year += year < 70 ? 2_000 : 1_900
        }
        guard year >= 1_601 else {
            return nil
        }
        return HTTPDate.date("Sun, \(day < 10 ? "0" : "")\(day) \(month) \(year) \(time) GMT", now: .distantPast)
    }

    /// Returns a time as in `09:05:00`; `nil` if the token is not a time.
    private static func clock(_ token: String) -> String? {
        let parts = token.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3 else {
            return nil
        }
        let numbers = parts.compactMap { number(String($0), digits: 1...2) }
        guard numbers.count == 3 else {
            return nil
        }
        return numbers.map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    }

    /// Returns the number with which a token begins, if it has that many digits.
    private static func number(_ token: String, digits: ClosedRange<Int>) -> Int? {
        let prefix = token.prefix { $0.isASCII && $0.isNumber }
        return digits.contains(prefix.count) ? Int(prefix) : nil
    }
}
