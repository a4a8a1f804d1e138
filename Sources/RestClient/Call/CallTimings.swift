// SPDX-License-Identifier: MIT

/// The time that the parts of a call took.
///
/// Instants count from the beginning of the call.
public struct CallTimings: Sendable, Hashable {
    /// One exchange on the wire: an attempt, or a redirect that an attempt followed.
    public struct Exchange: Sendable, Hashable {
        /// The number of the attempt, beginning with 1.
        public let attempt: Int

        /// The time at which it began, from the beginning of the call.
        public let start: Duration

        /// The time at which it ended, with a response or without.
        public let end: Duration

        /// The time that its parts took; `nil` without a response, or when the transport does not say.
        public let phases: ExchangeTimings?
    }

    /// A wait for a worker slot.
    public struct Wait: Sendable, Hashable {
        /// The time at which it began, from the beginning of the call.
        public let start: Duration

        /// The time at which the slot was granted.
        public let end: Duration
    }

    /// The waits for worker slots, one for each time that none was free.
    public let waits: [Wait]

    /// The exchanges on the wire, or those replayed in their place, in order; empty for a response of the cache or a dummy.
    public let exchanges: [Exchange]

    /// The time that making the model out of the response took; `nil` when it did not come to that.
    public let decoding: Duration?

    /// The time at which the model had been decoded; `nil` when there was none.
    public let decoded: Duration?

    /// The time on the manager's clock at which the call began.
    var origin = Duration.zero

    /// The time for which the call waited for worker slots.
    public var queued: Duration {
        waits.reduce(.zero) { $0 + ($1.end - $1.start) }
    }
}

extension CallTimings {
    /// The phases as stretches of a run's time.
    ///
    /// - Parameter offset: The time at which the call began, from the beginning of the run.
    /// - Returns: The stretches, in order; those that took no time are left out.
    func spans(from offset: Duration) -> [RunReport.Span] {
        var spans: [RunReport.Span] = []
        func append(_ phase: RunReport.Phase, _ attempt: Int, _ start: Duration, _ length: Duration) {
            if length > .zero {
                spans.append(
                    RunReport.Span(phase, attempt: attempt, start: offset + start, end: offset + start + length)
                )
            }
        }
        for (index, wait) in waits.enumerated() {
            append(.queued, index + 1, wait.start, wait.end - wait.start)
        }
        for exchange in exchanges {
            guard let phases = exchange.phases else {
                append(.waiting, exchange.attempt, exchange.start, exchange.end - exchange.start)
                continue
            }
            var start = exchange.start
            let parts: [(RunReport.Phase, Duration)] = [
                (.connecting, phases.connecting ?? .zero), (.queued, phases.blocked), (.sending, phases.sending),
                (.waiting, phases.waiting), (.receiving, phases.receiving),
            ]
            for (phase, length) in parts {
                append(phase, exchange.attempt, start, length)
                start += length
            }
        }
        if let decoding, let decoded {
            append(.decoding, max(1, exchanges.last?.attempt ?? 1), decoded - decoding, decoding)
        }
        return spans.sorted { $0.start < $1.start }
    }
}
