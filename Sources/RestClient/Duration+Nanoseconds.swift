// SPDX-License-Identifier: MIT

extension Duration {
    /// The length in whole nanoseconds; one that no 64-bit number holds becomes the longest one.
    var wholeNanoseconds: Int64 {
        // Asking a length beyond these for its components would trap.
        guard self < .nanoseconds(Int64.max) else {
            return .max
        }
        guard self > .nanoseconds(Int64.min) else {
            return .min
        }
        let (seconds, attoseconds) = components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }

    /// The length in milliseconds.
    var inMilliseconds: Double {
        Double(wholeNanoseconds) / 1_000_000
    }
}
