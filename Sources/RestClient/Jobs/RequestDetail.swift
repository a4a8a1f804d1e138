// SPDX-License-Identifier: MIT

package import JobGraphs
package import RestEssentials

struct RequestDetail: WorkDetail {
    /// The request and its times; those of a response are made on access, because most reports are never read.
    private enum Origin {
        case response(ResponseOrigin)
        case failure(RequestSummary, CallTimings?)
    }

    private let call: Origin
    let attempts: Int
    let source: RunReport.Source?
    let isFromCache: Bool

    init(_ response: ResponseDetails) {
        call = .response(response.origin)
        attempts = response.attempts
        source = RunReport.Source(response.raw.source)
        isFromCache = response.raw.source.isCache
    }

    /// Creates the detail of a failed request; `nil` if the error belongs to no request.
    init?(_ error: RestClientError) {
        guard let request = error.request else {
            return nil
        }
        call = .failure(request, error.timings)
        attempts = error.attempts
        source = nil
        isFromCache = false
    }

    private var timings: CallTimings? {
        switch call {
        case .response(let origin): origin.timings
        case .failure(_, let timings): timings
        }
    }

    var words: String {
        switch call {
        case .response(let origin): origin.summary.description
        case .failure(let summary, _): summary.description
        }
    }

    var origin: Duration? { timings?.origin }

    func spans(from offset: Duration) -> [RunReport.Span] {
        timings?.spans(from: offset) ?? []
    }
}

extension RestClientError: WorkError {
    package var detail: (any WorkDetail)? { RequestDetail(self) }

    package mutating func setNode(_ node: String) {
        parts.node = node
    }

    package func failure(now: Date) -> AttemptFailure {
        AttemptFailure(of: self, at: now)
    }
}

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
