// SPDX-License-Identifier: MIT

import RestEssentials

/// Parses and formats HTTP dates (RFC 9110, section 5.6.7), without a calendar or a locale.
///
/// It accepts all three formats, with names in any case. A text with another zone, order or separator is not a date,
/// because a cache must not accept an expiry that other parties reject.
package enum HTTPDate {
    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]
    private static let days = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
    private static let longDays = [
        "sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday",
    ]

    /// Parses a date; a two-digit year that is more than 50 years after `now` is one in the past.
    static func date(_ text: String, now: Date) -> Date? {
        let words = FieldList.token(text).split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        switch words.count {
        // Only the ANSI C format pads a day below ten with a second space.
        case 6 where words[2].isEmpty: return ansi([words[0], words[1], "0" + words[3], words[4], words[5]])
        case 6: return standard(words, days, year: number(words[3], digits: 4))
        case 5: return ansi(words)
        case 4: return obsolete(words, now: now)
        default: return nil
        }
    }

    static func text(_ date: Date) -> String {
        let seconds = Int64(max(-1e12, min(date.timeIntervalSince1970, 1e12)).rounded(.down))
        let day = seconds.quotientRoundedDown(by: 86_400)
        let time = Int(seconds - day * 86_400)
        let (year, month, dayOfMonth) = CivilCalendar.date(ofDay: day)
        let weekday = Int((day + 4) - (day + 4).quotientRoundedDown(by: 7) * 7)
        let clock = [time / 3_600, time / 60 % 60, time % 60].map { padded($0, 2) }.joined(separator: ":")
        let name = days[weekday].capitalizedName
        return "\(name), \(padded(dayOfMonth, 2)) \(months[month - 1].capitalizedName) \(padded(year, 4)) \(clock) GMT"
    }

    // MARK: - Forms

    // Sun, 06 Nov 1994 08:49:37 GMT
    private static func standard(_ words: [String], _ days: [String], year: Int?) -> Date? {
        guard words[0].last == ",", days.contains(String(words[0].dropLast())), words[5] == "gmt",
            let day = number(words[1], digits: 2), let month = month(words[2]), let year
        else {
            return nil
        }
        return date(year, month, day, words[4])
    }

    // Sunday, 06-Nov-94 08:49:37 GMT
    private static func obsolete(_ words: [String], now: Date) -> Date? {
        let parts = words[1].split(separator: "-", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, let short = number(parts[2], digits: 2) else {
            return nil
        }
        let nowDay = Int64(max(-1e12, min(now.timeIntervalSince1970, 1e12))).quotientRoundedDown(by: 86_400)
        let thisYear = CivilCalendar.date(ofDay: nowDay).year
        var year = thisYear - thisYear % 100 + short
        if year > thisYear + 50 {
            year -= 100
        } else if year <= thisYear - 50 {
            year += 100
        }
        return standard([words[0]] + parts + words[2...], longDays, year: year)
    }

    // Sun Nov  6 08:49:37 1994
    private static func ansi(_ words: [String]) -> Date? {
        guard days.contains(words[0]), let month = month(words[1]), let day = number(words[2], digits: 2),
            let year = number(words[4], digits: 4)
        else {
            return nil
        }
        return date(year, month, day, words[3])
    }

    // MARK: - Parts

    private static func month(_ name: String) -> Int? {
        months.firstIndex(of: name).map { $0 + 1 }
    }

    private static func number(_ text: some StringProtocol, digits: Int) -> Int? {
        text.utf8.count == digits && FieldList.isNumber(text) ? Int(text) : nil
    }

    private static func date(_ year: Int, _ month: Int, _ day: Int, _ clock: String) -> Date? {
        let parts = clock.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3, let hour = number(parts[0], digits: 2), let minute = number(parts[1], digits: 2),
            let second = number(parts[2], digits: 2), hour < 24, minute < 60, second <= 60,
            (1...CivilCalendar.length(ofMonth: month, in: year)).contains(day)
        else {
            return nil
        }
        let seconds = CivilCalendar.day(year, month, day) * 86_400 + Int64(hour * 3_600 + minute * 60 + second)
        return Date(timeIntervalSince1970: Double(seconds))
    }

    private static func padded(_ number: Int, _ digits: Int) -> String {
        let text = String(max(0, number))
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}

extension String {
    fileprivate var capitalizedName: String {
        prefix(1).uppercased() + dropFirst()
    }
}
