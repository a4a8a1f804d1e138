// SPDX-License-Identifier: MIT

import NIOCore
import RestEssentials

extension TimeAmount {
    /// Converts a duration; a negative one becomes zero, and one out of range the maximum.
    init(_ duration: Duration) {
        // A century, so that adding the current time does not overflow. Time before the machine was started has no
        // representation either.
        self = .nanoseconds(min(max(0, duration.wholeNanoseconds), 3_155_760_000_000_000_000))
    }
}
