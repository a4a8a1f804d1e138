// SPDX-License-Identifier: MIT

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
