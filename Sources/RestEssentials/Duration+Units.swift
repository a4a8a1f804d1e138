// SPDX-License-Identifier: MIT

extension Duration {
    /// The duration in seconds.
    package var timeInterval: Double {
        Double(components.seconds) + Double(components.attoseconds) * 1e-18
    }

    /// The duration in whole nanoseconds, limited to what an `Int64` can represent.
    package var wholeNanoseconds: Int64 {
        // The components of a longer duration would trap.
        guard self < .nanoseconds(Int64.max) else {
            return .max
        }
        guard self > .nanoseconds(Int64.min) else {
            return .min
        }
        let (seconds, attoseconds) = components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }

    /// The duration in milliseconds.
    package var inMilliseconds: Double {
        Double(wholeNanoseconds) / 1_000_000
    }
}
