// SPDX-License-Identifier: MIT

import RestEssentials

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
