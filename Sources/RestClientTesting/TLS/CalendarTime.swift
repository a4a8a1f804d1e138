// SPDX-License-Identifier: MIT
import SwiftASN1

/// A second in the Gregorian calendar, UTC, as certificates write it.
struct CalendarTime: Hashable {
    var year: Int
    var month: Int
    var day: Int
    var hours: Int
    var minutes: Int
    var seconds: Int

    init(secondsSince1970: Int64) {
        let secondsOfDay = Int(secondsSince1970.remainder(modulo: 86_400))
        hours = secondsOfDay / 3_600
        minutes = secondsOfDay / 60 % 60
        seconds = secondsOfDay % 60

        // https://howardhinnant.github.io/date_algorithms.html#civil_from_days: years begin in March, so that the leap
        // day is the last; an era is 400 years.
        let days = (secondsSince1970 - Int64(secondsOfDay)) / 86_400 + 719_468
        let dayOfEra = Int(days.remainder(modulo: 146_097))
        let era = Int((days - Int64(dayOfEra)) / 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// Writes the time as RFC 5280 wants it: `UTCTime` through 2049, `GeneralizedTime` from then on.
    func serialize(into serializer: inout DER.Serializer) throws {
        if (1950..<2050).contains(year) {
            let time = try UTCTime(
                year: year,
                month: month,
                day: day,
                hours: hours,
                minutes: minutes,
                seconds: seconds
            )
            try serializer.serialize(time)
        } else {
            let time = try GeneralizedTime(
                year: year,
                month: month,
                day: day,
                hours: hours,
                minutes: minutes,
                seconds: seconds,
                rawFractionalSeconds: []
            )
            try serializer.serialize(time)
        }
    }
}

extension Int64 {
    /// The remainder that is never negative.
    fileprivate func remainder(modulo divisor: Int64) -> Int64 {
        let remainder = self % divisor
        return remainder < 0 ? remainder + divisor : remainder
    }
}
