// SPDX-License-Identifier: MIT

extension RunReport.Span {
    func moved(by offset: Duration) -> RunReport.Span {
        RunReport.Span(phase, attempt: attempt, start: start + offset, end: end + offset)
    }
}

extension [RunReport.Span] {
    /// Returns the waits of a node's own work, and the work between them; empty if it never waited.
    func filled(from start: Duration, to end: Duration) -> [RunReport.Span] {
        guard !isEmpty else {
            return []
        }
        var spans: [RunReport.Span] = []
        var last = start
        func work(until end: Duration, attempt: Int) {
            if end > last {
                spans.append(RunReport.Span(.running, attempt: attempt, start: last, end: end))
            }
        }
        for wait in self {
            work(until: wait.start, attempt: wait.attempt)
            spans.append(wait)
            last = wait.end
        }
        work(until: end, attempt: self.last.map { $0.phase == .backoff ? $0.attempt + 1 : $0.attempt } ?? 1)
        return spans
    }

    /// Returns the spans within an interval, one after the other.
    ///
    /// Where some overlap, as those of a hedged request do, the one that began last counts. If the clock stood still,
    /// they stay as they are.
    package func inOrder(from start: Duration, to end: Duration) -> [RunReport.Span] {
        guard start < end else {
            return self
        }
        var ordered: [RunReport.Span] = []
        /// The spans that have begun, the latest one last.
        var begun: [RunReport.Span] = []
        var time = start
        func pass(until next: Duration) {
            while time < next, let span = begun.last {
                let stop = Swift.min(span.end, next)
                if stop > time {
                    ordered.append(RunReport.Span(span.phase, attempt: span.attempt, start: time, end: stop))
                    time = stop
                }
                if span.end <= time {
                    begun.removeLast()
                }
            }
            time = Swift.max(time, next)
        }
        let sorted = enumerated().sorted { ($0.element.start, $0.offset) < ($1.element.start, $1.offset) }
        for (_, span) in sorted where span.start < end && span.end > start {
            pass(until: Swift.max(start, span.start))
            begun.append(span)
        }
        pass(until: end)
        return ordered
    }
}
