// SPDX-License-Identifier: MIT

import NIOCore

extension TimeAmount {
    /// Converts a duration; one out of range becomes the maximum.
    init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        let (nanoseconds, overflows) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        // A century, so that adding the current time does not overflow.
        let longest: Int64 = 3_155_760_000_000_000_000
        self = .nanoseconds(
            overflows ? (seconds < 0 ? 0 : longest) : min(longest, nanoseconds + attoseconds / 1_000_000_000)
        )
    }
}
