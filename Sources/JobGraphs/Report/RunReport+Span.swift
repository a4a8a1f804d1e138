// SPDX-License-Identifier: MIT

extension RunReport {
    /// An interval of a node's time.
    public struct Span: Sendable, Hashable {
        /// The phase on which the time was spent.
        public var phase: Phase

        /// The number of the attempt, beginning with 1; zero outside of any attempt.
        public var attempt: Int

        /// The beginning of the span.
        public var start: Duration

        /// The end of the span.
        public var end: Duration

        package init(_ phase: Phase, attempt: Int = 1, start: Duration, end: Duration) {
            self.phase = phase
            self.attempt = attempt
            self.start = start
            self.end = end
        }

        /// The duration of the span.
        public var duration: Duration { end - start }

        func moved(by offset: Duration) -> Span {
            Span(phase, attempt: attempt, start: start + offset, end: end + offset)
        }
    }

    /// A phase on which time is spent.
    ///
    /// Different kinds of work have phases of their own; compare with the static members.
    public struct Phase: RawRepresentable, Sendable, Hashable, Codable, CustomStringConvertible {
        /// The name of the phase, which never changes.
        public let rawValue: String

        /// Creates a phase.
        ///
        /// - Parameter rawValue: The name of the phase.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The name of the phase.
        public var description: String { rawValue }

        /// Waiting for a worker slot, a mutex key or another resource that is in use.
        public static let queued = Phase(rawValue: "queued")
        /// Waiting before the next attempt.
        public static let backoff = Phase(rawValue: "backoff")
        /// Decoding a result, once the worker slot is given back.
        public static let decoding = Phase(rawValue: "decoding")
        /// Running the work.
        public static let running = Phase(rawValue: "running")
    }
}
