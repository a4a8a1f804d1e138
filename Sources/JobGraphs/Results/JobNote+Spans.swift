// SPDX-License-Identifier: MIT

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
}

extension JobNote.Contents {
    /// Returns the phases of the last attempt, as far as the work reports them.
    ///
    /// - Parameters:
    ///   - error: The error that the attempt ended with, if any.
    ///   - start: The time, on the runtime's clock, at which the run began.
    ///   - begun: The time at which the work began; the error may come from earlier work of another caller.
    /// - Returns: The phases, numbered by the attempts of the work.
    func spansOfLastAttempt(
        failed error: (any Error)?,
        since start: Duration,
        begun: Duration = .zero
    ) -> [RunReport.Span] {
        let detail = error == nil ? detail : (error as? any WorkError)?.detail
        guard let detail, let origin = detail.origin, origin >= begun else {
            return []
        }
        return detail.spans(from: origin - start)
            .map { RunReport.Span($0.phase, attempt: $0.attempt + attempts - 1, start: $0.start, end: $0.end) }
    }
}
