// SPDX-License-Identifier: MIT

extension Duration {
    /// The length in whole nanoseconds; one that no 64-bit number holds becomes the longest one.
    var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (nanoseconds, overflows) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, exceeds) = nanoseconds.addingReportingOverflow(attoseconds / 1_000_000_000)
        return overflows || exceeds ? (seconds < 0 ? .min : .max) : sum
    }

    /// The length in milliseconds.
    var inMilliseconds: Double {
        Double(wholeNanoseconds) / 1_000_000
    }
}
