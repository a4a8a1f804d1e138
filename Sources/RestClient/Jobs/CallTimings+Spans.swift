// SPDX-License-Identifier: MIT

import JobGraphs

extension CallTimings {
    /// Returns the phases as intervals of a run's time, in order; the call began at the offset.
    func spans(from offset: Duration) -> [RunReport.Span] {
        var spans: [RunReport.Span] = []
        func append(_ phase: RunReport.Phase, _ attempt: Int, _ start: Duration, _ length: Duration) {
            if length > .zero {
                spans.append(
                    RunReport.Span(phase, attempt: attempt, start: offset + start, end: offset + start + length)
                )
            }
        }
        for wait in waits {
            // An attempt may have none, or several.
            let last = exchanges.last { $0.end <= wait.start }?.attempt
            let next = exchanges.first { $0.start >= wait.end }?.attempt ?? (exchanges.last?.attempt ?? 0) + 1
            let (phase, attempt): (RunReport.Phase, Int) =
                switch wait.reason {
                case .slot, .turn: (.queued, next)
                case .token: (.authenticating, next)
                case .retry: (.backoff, last ?? 1)
                }
            append(phase, attempt, wait.start, wait.end - wait.start)
        }
        for exchange in exchanges {
            guard let phases = exchange.phases else {
                append(.waiting, exchange.attempt, exchange.start, exchange.end - exchange.start)
                continue
            }
            var start = exchange.start
            let parts: [(RunReport.Phase, Duration)] = [
                (.connecting, phases.connecting ?? .zero), (.blocked, phases.blocked), (.sending, phases.sending),
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
