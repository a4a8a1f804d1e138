// SPDX-License-Identifier: MIT

/// What the time of a call went into.
///
/// Instants count from the beginning of the call.
public struct CallTimings: Sendable, Hashable {
    /// One exchange on the wire: an attempt, or a redirect that an attempt followed.
    public struct Exchange: Sendable, Hashable {
        /// The number of the attempt, beginning with 1.
        public let attempt: Int

        /// When it began, from the beginning of the call.
        public let start: Duration

        /// When it ended, with a response or without.
        public let end: Duration

        /// What its time went into; `nil` when it brought no response, or when the transport does not say.
        public let phases: ExchangeTimings?
    }

    /// A wait for a worker slot.
    public struct Wait: Sendable, Hashable {
        /// When it began, from the beginning of the call.
        public let start: Duration

        /// When the slot was there.
        public let end: Duration
    }

    /// The waits for worker slots, one for each time that none was free.
    public let waits: [Wait]

    /// What went over the wire, or was replayed in its place, in order; empty when the cache or a dummy answered.
    public let exchanges: [Exchange]

    /// The time that making the model out of the response took; `nil` when it did not come to that.
    public let decoding: Duration?

    /// When the model was made; `nil` when it did not come to that.
    public let decoded: Duration?

    /// When the call began, on the manager's clock.
    var origin = Duration.zero

    /// How long the call waited for worker slots.
    public var queued: Duration {
        waits.reduce(.zero) { $0 + ($1.end - $1.start) }
    }
}

extension CallTimings {
    /// The phases as stretches of a run's time.
    ///
    /// - Parameter offset: When the call began, from the beginning of the run.
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
