// SPDX-License-Identifier: MIT

import RestEssentials

extension RateLimit {
    /// A span of time in which a limited number of calls may begin, wherever it lies.
    struct Span: Sendable, Hashable {
        /// The largest number of calls, with which calculations do not overflow.
        static let mostCalls = 1 << 32

        let count: Int

        /// The length, in whole nanoseconds.
        let length: Int64

        /// The length of a part, in which a ``StartLog`` does not tell instants from each other.
        private let part: Int64

        init(_ count: Int, in length: Duration) {
            self.count = min(max(1, count), Self.mostCalls)
            self.length = Self.roundedUp(length)
            part = count <= StartLog.capacity ? 1 : self.length / Int64(StartLog.capacity) + 1
        }

        func part(of instant: Int64) -> Int64 { instant / part }

        /// Returns an instant or a length in nanoseconds, rounded up if it lies between two of them.
        static func roundedUp(_ time: Duration) -> Int64 {
            let whole = time.wholeNanoseconds
            return .nanoseconds(whole) < time && whole < .max ? whole + 1 : whole
        }
    }
}
