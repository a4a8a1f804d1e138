// SPDX-License-Identifier: MIT

extension Duration {
    /// More than a century: longer than any wait, and short enough for calculations not to overflow.
    package static let century = Duration.seconds(Int64(1) << 32)

    /// Returns the duration of a number of seconds, which may be any: one that is not a number counts as zero, and one
    /// beyond ten thousand centuries as these.
    package static func bounded(seconds: Double) -> Duration {
        let limit = 4e13
        return seconds.isNaN ? .zero : .seconds(min(max(seconds, -limit), limit))
    }

    package var timeInterval: Double {
        // Both halves by themselves: the standard library converts an `Int128` in generic code, with thousands of
        // instructions.
        let size = attoseconds.magnitude
        let high = UInt64(truncatingIfNeeded: size &>> 64)
        let low = UInt64(truncatingIfNeeded: size)
        let seconds = (Double(high) * 0x1p64 + Double(low)) / 1e18
        return attoseconds < 0 ? -seconds : seconds
    }

    /// The duration in whole nanoseconds, limited to what an `Int64` can represent.
    package var wholeNanoseconds: Int64 {
        // One division; the components of a duration take two, and those of a very long one trap.
        Int64(clamping: attoseconds / 1_000_000_000)
    }

    package var inMilliseconds: Double {
        Double(wholeNanoseconds) / 1_000_000
    }
}
