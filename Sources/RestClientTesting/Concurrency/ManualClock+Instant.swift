// SPDX-License-Identifier: MIT

extension ManualClock {
    /// A point in a manual clock's time, as its distance from the moment the clock was made.
    public struct Instant: InstantProtocol {
        /// The time since the clock was made.
        public let offset: Duration

        /// Creates an instant.
        ///
        /// - Parameter offset: The time since the clock was made. The default is that moment itself.
        public init(offset: Duration = .zero) {
            self.offset = offset
        }

        /// The instant that lies so much later.
        ///
        /// - Parameter duration: How much later; negative for earlier.
        /// - Returns: The other instant.
        public func advanced(by duration: Duration) -> Instant {
            Instant(offset: offset + duration)
        }

        /// The time from this instant to another.
        ///
        /// - Parameter other: The other instant.
        /// - Returns: The time between; negative when the other one is earlier.
        public func duration(to other: Instant) -> Duration {
            other.offset - offset
        }

        /// Whether one instant is earlier than another.
        public static func < (left: Instant, right: Instant) -> Bool {
            left.offset < right.offset
        }
    }
}
