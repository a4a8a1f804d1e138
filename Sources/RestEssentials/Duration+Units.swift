// SPDX-License-Identifier: MIT

extension Duration {
    /// The duration in seconds.
    package var timeInterval: Double {
        Double(attoseconds) / 1e18
    }

    /// The duration in whole nanoseconds, limited to what an `Int64` can represent.
    package var wholeNanoseconds: Int64 {
        // One division; the components of a duration take two, and those of a very long one trap.
        Int64(clamping: attoseconds / 1_000_000_000)
    }

    /// The duration in milliseconds.
    package var inMilliseconds: Double {
        Double(wholeNanoseconds) / 1_000_000
    }
}
