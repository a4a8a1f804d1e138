// SPDX-License-Identifier: MIT

/// Writes numbers of bytes and times for people, without a locale.
enum ByteCountText {
    private static let units = ["B", "kB", "MB", "GB", "TB", "PB", "EB"]

    /// Returns a number of bytes in units of the SI, as in `4.2 MB`; below ten with one decimal.
    static func text(_ count: Int64) -> String {
        // No calculation here leaves this range.
        let value = UInt64(max(0, count))
        guard value >= 1_000 else {
            return "\(value) B"
        }
        var divisor: UInt64 = 1_000
        var unit = 1
        // Rounded to whole units, it would have four digits.
        while unit < units.count - 1, (value + divisor / 2) / divisor >= 1_000 {
            divisor *= 1_000
            unit += 1
        }
        let tenths = (value + divisor / 20) / (divisor / 10)
        guard tenths >= 100 else {
            return "\(tenths / 10).\(tenths % 10) \(units[unit])"
        }
        return "\((value + divisor / 2) / divisor) \(units[unit])"
    }

    /// Returns a time, as in `0:05`, `12:40` and `1:02:03`; from a hundred hours on, as in `5d`.
    static func text(_ time: Duration) -> String {
        // A hair above a second, as calculations leave it, is none more.
        let seconds = max(0, (min(time / .seconds(1), 1e12) - 1e-6).rounded(.up))
        let whole = Int64(seconds)
        let (hours, minutes) = (whole / 3_600, whole / 60 % 60)
        if hours >= 100 {
            return "\(hours / 24)d"
        }
        let tail = padded(whole % 60)
        return hours > 0 ? "\(hours):\(padded(minutes)):\(tail)" : "\(minutes):\(tail)"
    }

    private static func padded(_ number: Int64) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }
}
