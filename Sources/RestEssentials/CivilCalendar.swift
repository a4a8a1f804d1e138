// SPDX-License-Identifier: MIT

/// The days of the proleptic Gregorian calendar, counted from the first of January 1970, without a locale or a time
/// zone.
///
/// Years are counted from the first of March, so that a leap day is the last day of its year.
public enum CivilCalendar {
    /// Returns the year, the month (1 to 12) and the day of the month (from 1) of a day.
    @inlinable
    public static func date(ofDay day: Int64) -> (year: Int, month: Int, day: Int) {
        let shifted = day + 719_468
        let era = shifted.quotientRoundedDown(by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = Int(shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9)
        return (
            Int(yearOfEra + era * 400) + (month <= 2 ? 1 : 0), month, Int(dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
        )
    }

    /// Returns the number of a day.
    ///
    /// - Parameters:
    ///   - year: The year.
    ///   - month: The month, from 1 to 12.
    ///   - day: The day of the month, from 1.
    /// - Returns: The days from the first of January 1970; negative before it.
    @inlinable
    public static func day(_ year: Int, _ month: Int, _ day: Int) -> Int64 {
        let shiftedYear = Int64(month <= 2 ? year - 1 : year)
        let era = shiftedYear.quotientRoundedDown(by: 400)
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = Int64((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1)
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// Returns the number of days of a month (1 to 12).
    @inlinable
    public static func length(ofMonth month: Int, in year: Int) -> Int {
        switch month {
        case 2: (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

extension Int64 {
    /// Returns the quotient by a positive divisor, rounded towards negative infinity.
    @inlinable
    public func quotientRoundedDown(by divisor: Int64) -> Int64 {
        self >= 0 ? self / divisor : -((-self + divisor - 1) / divisor)
    }
}
