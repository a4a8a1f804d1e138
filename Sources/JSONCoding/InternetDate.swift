// SPDX-License-Identifier: MIT

internal import RestEssentials

/// Dates of the form `2026-11-22T11:05:38Z`, from the year 1600 to 9999; Foundation handles all others.
enum InternetDate {
    static let length = 20
    /// The seconds from the first day of the year 0000 to the first of 2001, in which `Date` counts.
    private static let reference: Int64 = 730_851 * 86_400
    private static let earliest = daysBefore(year: 1600, month: 1) * 86_400 - reference
    private static let latest = daysBefore(year: 10_000, month: 1) * 86_400 - reference

    // MARK: - Reading

    /// Reads a date; returns `nil` for other forms, and for dates that do not exist.
    static func date(_ text: UnsafeBufferPointer<UInt8>) -> Date? {
        guard text.count == length, unsafe text[4] == UInt8(ascii: "-"), unsafe text[7] == UInt8(ascii: "-"),
            unsafe text[10] == UInt8(ascii: "T"), unsafe text[13] == UInt8(ascii: ":"),
            unsafe text[16] == UInt8(ascii: ":"), unsafe text[19] == UInt8(ascii: "Z"),
            let century = unsafe number(text, 0), let yearOfCentury = unsafe number(text, 2),
            let month = unsafe number(text, 5), let day = unsafe number(text, 8), let hour = unsafe number(text, 11),
            let minute = unsafe number(text, 14), let second = unsafe number(text, 17)
        else {
            return nil
        }
        let year = century * 100 + yearOfCentury
        guard year >= 1600, (1...12).contains(month), day >= 1, day <= days(of: month, in: year), hour < 24,
            minute < 60, second < 60
        else {
            return nil
        }
        let days = daysBefore(year: year, month: month) + day - 1
        let seconds = (days * 24 + hour) * 3600 + minute * 60 + second
        return Date(timeIntervalSinceReferenceDate: Double(seconds - reference))
    }

    private static func number(_ text: UnsafeBufferPointer<UInt8>, _ place: Int) -> Int64? {
        let tens = unsafe text[place] &- UInt8(ascii: "0")
        let ones = unsafe text[place + 1] &- UInt8(ascii: "0")
        return tens < 10 && ones < 10 ? Int64(tens) * 10 + Int64(ones) : nil
    }

    // MARK: - Writing

    /// Writes a date, cut to whole seconds; returns `false` for a date out of range.
    ///
    /// - Safety: `text` must have room for ``length`` bytes.
    @unsafe static func write(_ date: Date, to text: UnsafeMutablePointer<UInt8>) -> Bool {
        let interval = date.timeIntervalSinceReferenceDate.rounded(.down)
        guard interval >= Double(earliest), interval < Double(latest) else {
            return false
        }
        let total = Int64(interval) + reference
        let (days, seconds) = (total / 86_400, total % 86_400)
        // Days are counted from the first of March, so that a leap day is the last day of its year.
        let shifted = days - 60
        let era = shifted / 146_097
        let dayOfEra = shifted % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
        unsafe write(year / 100, to: text)
        unsafe write(year % 100, to: text + 2)
        unsafe text[4] = UInt8(ascii: "-")
        unsafe write(month, to: text + 5)
        unsafe text[7] = UInt8(ascii: "-")
        unsafe write(day, to: text + 8)
        unsafe text[10] = UInt8(ascii: "T")
        unsafe write(seconds / 3600, to: text + 11)
        unsafe text[13] = UInt8(ascii: ":")
        unsafe write(seconds / 60 % 60, to: text + 14)
        unsafe text[16] = UInt8(ascii: ":")
        unsafe write(seconds % 60, to: text + 17)
        unsafe text[19] = UInt8(ascii: "Z")
        return true
    }

    private static func write(_ number: Int64, to text: UnsafeMutablePointer<UInt8>) {
        unsafe text[0] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: number / 10)
        unsafe text[1] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: number % 10)
    }

    // MARK: - The calendar

    private static func isLeap(_ year: Int64) -> Bool {
        year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    }

    private static func days(of month: Int64, in year: Int64) -> Int64 {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// The days from the first day of the year 0000 to the first of a month, in the Gregorian calendar.
    private static func daysBefore(year: Int64, month: Int64) -> Int64 {
        let before = year - 1
        var days = 366 + before * 365 + before / 4 - before / 100 + before / 400
        for month in 1..<max(month, 1) {
            days += Self.days(of: month, in: year)
        }
        return days
    }
}
