// SPDX-License-Identifier: MIT

extension JobNote.Contents {
    /// What the time of the last attempt went into, as far as it was spent on a request.
    ///
    /// - Parameters:
    ///   - error: The error that the attempt ended with, if any.
    ///   - start: When the run began, on the manager's clock.
    ///   - begun: When the work began; the error may be that of a request which was made before, by somebody else.
    /// - Returns: The phases, numbered by the attempts of the work.
    func spansOfLastTry(
        failed error: (any Error)?,
        since start: Duration,
        begun: Duration = .zero
    ) -> [RunReport.Span] {
        let timings = error == nil ? answer?.timings : (error as? RestClientError)?.timings
        guard let timings, timings.origin >= begun else {
            return []
        }
        return timings.spans(from: timings.origin - start)
            .map { RunReport.Span($0.phase, attempt: $0.attempt + tries - 1, start: $0.start, end: $0.end) }
    }
}
