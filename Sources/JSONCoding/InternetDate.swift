// SPDX-License-Identifier: MIT

internal import RestEssentials

/// Dates of the form `2026-11-22T11:05:38Z`, from the year 1600 to 9999; Foundation handles all others.
enum InternetDate {
    static let length = 20
    /// The seconds from 1970 to the first of January 2001, from which `Date` counts.
    private static let reference: Int64 = 978_307_200
    private static let earliest = CivilCalendar.day(1600, 1, 1) * 86_400 - reference
    private static let latest = CivilCalendar.day(10_000, 1, 1) * 86_400 - reference

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
        guard year >= 1600, (1...12).contains(month), day >= 1, day <= CivilCalendar.length(ofMonth: month, in: year),
            hour < 24, minute < 60, second < 60
        else {
            return nil
        }
        let seconds = CivilCalendar.day(year, month, day) * 86_400 + Int64((hour * 60 + minute) * 60 + second)
        return Date(timeIntervalSinceReferenceDate: Double(seconds - reference))
    }

    private static func number(_ text: UnsafeBufferPointer<UInt8>, _ place: Int) -> Int? {
        let tens = unsafe text[place] &- UInt8(ascii: "0")
        let ones = unsafe text[place + 1] &- UInt8(ascii: "0")
        return tens < 10 && ones < 10 ? Int(tens) * 10 + Int(ones) : nil
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
        let days = total.quotientRoundedDown(by: 86_400)
        let seconds = Int(total - days * 86_400)
        let (year, month, day) = CivilCalendar.date(ofDay: days)
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

    private static func write(_ number: Int, to text: UnsafeMutablePointer<UInt8>) {
        unsafe text[0] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: number / 10)
        unsafe text[1] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: number % 10)
    }
}
