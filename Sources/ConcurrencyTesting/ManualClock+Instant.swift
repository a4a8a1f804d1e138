// SPDX-License-Identifier: MIT

extension ManualClock {
    /// A point in a manual clock's time, relative to the creation of the clock.
    public struct Instant: InstantProtocol {
        /// The time since the clock was created.
        public let offset: Duration

        /// Creates an instant.
        ///
        /// - Parameter offset: The time since the clock was created; zero by default.
        public init(offset: Duration = .zero) {
            self.offset = offset
        }

        /// Returns the instant that is later by a duration.
        ///
        /// - Parameter duration: The duration; negative for an earlier instant.
        /// - Returns: The other instant.
        public func advanced(by duration: Duration) -> Instant {
            Instant(offset: offset + duration)
        }

        /// Returns the time from this instant to another.
        ///
        /// - Parameter other: The other instant.
        /// - Returns: The duration; negative if the other instant is earlier.
        public func duration(to other: Instant) -> Duration {
            other.offset - offset
        }

        /// Returns true if one instant is earlier than another.
        public static func < (left: Instant, right: Instant) -> Bool {
            left.offset < right.offset
        }
    }
}
