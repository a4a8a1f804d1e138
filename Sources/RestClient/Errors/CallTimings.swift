// SPDX-License-Identifier: MIT

/// The time of a call, broken down.
///
/// Instants count from the beginning of the call.
public struct CallTimings: Sendable, Hashable {
    /// One exchange on the wire: an attempt, or a redirect that an attempt followed.
    public struct Exchange: Sendable, Hashable {
        /// The number of the attempt, beginning with 1.
        public let attempt: Int

        /// When it began, from the beginning of the call.
        public let start: Duration

        /// When it ended, with a response or without one.
        public let end: Duration

        /// The phases of the exchange; `nil` if no response arrived, or if the transport does not report them.
        public let phases: ExchangeTimings?
    }

    /// A wait for a worker slot.
    struct Wait: Sendable, Hashable {
        /// When it began, from the beginning of the call.
        let start: Duration

        /// When the slot was granted.
        let end: Duration
    }

    /// The waits for worker slots, one for each time that none was free.
    let waits: [Wait]

    /// The exchanges on the wire, or replayed in its place, in order; empty if the response came from the cache or a
    /// dummy.
    public let exchanges: [Exchange]

    /// How long decoding the model took; `nil` if the call did not get that far.
    public let decoding: Duration?

    /// When the model was decoded; `nil` if the call did not get that far.
    public let decoded: Duration?

    /// When the call began, on the manager's clock.
    var origin = Duration.zero

    /// How long the call waited for worker slots.
    public var queued: Duration {
        waits.reduce(.zero) { $0 + ($1.end - $1.start) }
    }
}
