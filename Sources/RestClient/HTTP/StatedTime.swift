// SPDX-License-Identifier: MIT

import RestEssentials

/// Reads the times that servers state, in the units and forms that are in use, without I/O.
enum StatedTime {
    /// A value that is further ahead than that is taken for a number in an unknown unit, not for a time.
    static let horizon: TimeInterval = 7 * 86_400

    /// Returns the seconds to a time: a number as in ``seconds(_:now:)``, an HTTP date or one of ISO 8601; negative for
    /// a time in the past, and `nil` for any other text.
    static func seconds(_ text: Substring, now: Date) -> TimeInterval? {
        if let number = number(text) {
            return seconds(number, now: now)
        }
        let text = String(text)
        let date = HTTPDate.date(text, now: now) ?? isoDate(text)
        return date?.timeIntervalSince(now)
    }

    /// Returns the seconds to a time.
    ///
    /// No server makes its callers wait for thirty years, so that larger numbers are moments since 1970, in seconds,
    /// milliseconds, microseconds or nanoseconds by their size.
    static func seconds(_ number: Double, now: Date) -> TimeInterval {
        moment(number).map { $0.timeIntervalSince(now) } ?? number
    }

    /// Returns the moment that a number since 1970 means by its size; `nil` if it is small enough for a wait.
    static func moment(_ number: Double) -> Date? {
        guard number >= 1e9 else {
            return nil
        }
        let unit: Double = number < 1e11 ? 1 : number < 1e14 ? 1e3 : number < 1e17 ? 1e6 : 1e9
        return Date(timeIntervalSince1970: number / unit)
    }

    /// Reads a number that is not negative, with or without a fraction.
    static func number(_ text: Substring) -> Double? {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count <= 2 && parts.allSatisfy { FieldList.isNumber(Substring($0)) } ? Double(text) : nil
    }

    /// Reads a date as in `2026-01-31T12:00:00Z`, with or without a fraction of a second.
    static func isoDate(_ text: String) -> Date? {
        guard text.utf8.contains(UInt8(ascii: "T")), FieldList.isASCII(text) else {
            return nil
        }
        let style = Date.ISO8601FormatStyle()
        return (try? style.parse(text))
            ?? (try? Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse(text))
    }
}
