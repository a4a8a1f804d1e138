// SPDX-License-Identifier: MIT

extension RunReport {
    /// A stretch of a node's time.
    public struct Span: Sendable, Hashable {
        /// The phase on which the time was spent.
        public var phase: Phase

        /// The number of the attempt, beginning with 1; zero outside of any.
        public var attempt: Int

        /// When it began.
        public var start: Duration

        /// When it ended.
        public var end: Duration

        /// Creates a span.
        ///
        /// - Parameters:
        ///   - phase: What the time was spent on.
        ///   - attempt: The number of the attempt, beginning with 1; zero outside of any.
        ///   - start: When it began.
        ///   - end: When it ended.
        public init(_ phase: Phase, attempt: Int = 1, start: Duration, end: Duration) {
            self.phase = phase
            self.attempt = attempt
            self.start = start
            self.end = end
        }

        /// How long it took.
        public var duration: Duration { end - start }
    }

    /// A phase on which time is spent.
    public enum Phase: String, Sendable, Hashable, Codable, CaseIterable {
        /// Waiting for a worker slot, a mutex key or a connection that others use.
        case queued
        /// Waiting before the next attempt.
        case backoff
        /// Looking up the host's address, connecting, and the TLS handshake.
        case connecting
        /// Sending the request.
        case sending
        /// Waiting for the first byte of the response.
        case waiting
        /// Receiving the response.
        case receiving
        /// Making the model out of the response.
        case decoding
        /// Running code of the user.
        case running
    }
}
