// SPDX-License-Identifier: MIT

import RestEssentials
import SwiftASN1

/// A second in the Gregorian calendar, UTC, as encoded in certificates.
struct CalendarTime: Hashable {
    var year: Int
    var month: Int
    var day: Int
    var hours: Int
    var minutes: Int
    var seconds: Int

    init(secondsSince1970: Int64) {
        let secondOfDay = ((secondsSince1970 % 86_400) + 86_400) % 86_400
        (year, month, day) = CivilCalendar.date(ofDay: (secondsSince1970 - secondOfDay) / 86_400)
        hours = Int(secondOfDay / 3_600)
        minutes = Int(secondOfDay / 60 % 60)
        seconds = Int(secondOfDay % 60)
    }

    /// Writes the time as RFC 5280 requires: as `UTCTime` until 2049, and as `GeneralizedTime` from 2050 on.
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
