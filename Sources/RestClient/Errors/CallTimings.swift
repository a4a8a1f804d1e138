// SPDX-License-Identifier: MIT

/// The timings of a call.
///
/// Instants are relative to the start of the call.
public struct CallTimings: Sendable, Hashable {
    /// One exchange on the wire: an attempt, or a redirect within an attempt.
    public struct Exchange: Sendable, Hashable {
        /// The number of the attempt, beginning with 1.
        public let attempt: Int

        /// The start of the exchange, relative to the start of the call.
        public let start: Duration

        /// The end of the exchange, with or without a response.
        public let end: Duration

        /// The phases of the exchange; `nil` if no response arrived, or if the transport does not report them.
        public let phases: ExchangeTimings?
    }

    struct Wait: Sendable, Hashable {
        enum Reason: Sendable, Hashable {
            case slot
            /// Its turn among the calls to its server, by their rate or their number.
            case turn
            case retry
            case token
        }

        /// The start of the wait, relative to the start of the call.
        let start: Duration

        let end: Duration

        let reason: Reason
    }

    let waits: [Wait]

    /// The exchanges on the wire, or their replays, in order; empty if the response came from the cache or a dummy.
    public let exchanges: [Exchange]

    /// The time for decoding the model; `nil` if the call did not reach that point.
    public let decoding: Duration?

    /// The time at which the model was decoded.
    let decoded: Duration?

    /// The start of the call, on the manager's clock.
    var origin = Duration.zero

    /// The time that the call waited for worker slots, and for its turn among the calls to its server.
    public var queued: Duration {
        waits.lazy.filter { $0.reason == .slot || $0.reason == .turn }.reduce(.zero) { $0 + ($1.end - $1.start) }
    }
}
