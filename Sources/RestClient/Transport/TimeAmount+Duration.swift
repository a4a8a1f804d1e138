// SPDX-License-Identifier: MIT

import NIOCore

extension TimeAmount {
    /// Converts a duration; one beyond the range becomes the longest one.
    init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        let (nanoseconds, overflows) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        // A century, which leaves room for adding the present.
        let longest: Int64 = 3_155_760_000_000_000_000
        self = .nanoseconds(
            overflows ? (seconds < 0 ? 0 : longest) : min(longest, nanoseconds + attoseconds / 1_000_000_000)
        )
    }
}
