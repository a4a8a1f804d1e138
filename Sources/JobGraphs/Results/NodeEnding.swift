// SPDX-License-Identifier: MIT

/// The end of one node of a graph, or of one member of a group, as reports show it.
struct NodeEnding {
    let kind: JobKind
    let error: (any Error)?
    let times: NodeTimes
    let note: JobNote.Contents?
    /// The time, on the runtime's clock, at which the run began.
    let runStart: Duration

    /// The start of the node, from the start of the run; `nil` if it did not begin.
    var started: Duration? { times.started.map { $0 - runStart } }

    /// The end of the node, from the start of the run; `nil` if it did not begin.
    var ended: Duration? { times.ended.map { $0 - runStart } }

    /// The number of attempts: those sent by a request, or those made by a retry policy.
    var attempts: Int {
        guard times.started != nil, note?.isResumed != true else {
            return 0
        }
        if let detail = note?.detail, note?.attempts == 1 {
            return detail.attempts
        }
        if note?.attempts ?? 1 == 1, let detail = failedDetail {
            return detail.attempts
        }
        return note?.attempts ?? 1
    }

    /// A description of the last request, if the node sends any.
    var detail: String? {
        if let detail = note?.detail {
            return detail.words
        }
        return kind == .request ? failedDetail?.words : nil
    }

    /// The source of the result, if it is known.
    var source: RunReport.Source? { note?.detail?.source }

    /// The phases of the node's time: its requests, and the waits between its attempts.
    var spans: [RunReport.Span] {
        switch kind {
        case .request, .poll, .fallback:
            let note = note ?? JobNote.Contents()
            let begun = times.started ?? .zero
            return note.spans + note.spansOfLastAttempt(failed: error, since: runStart, begun: begun)
        case .local, .job:
            return filled(note?.spans ?? [])
        case .input, .graph, .forEach, .condition:
            // The error of a node with inner nodes belongs to them.
            return note?.spans ?? []
        }
    }

    /// Returns the waits of a node's own work, and the work between them; empty if it never waited.
    private func filled(_ waits: [RunReport.Span]) -> [RunReport.Span] {
        guard !waits.isEmpty, let started, let ended else {
            return []
        }
        var spans: [RunReport.Span] = []
        var last = started
        func work(until end: Duration, attempt: Int) {
            if end > last {
                spans.append(RunReport.Span(.running, attempt: attempt, start: last, end: end))
            }
        }
        for wait in waits {
            work(until: wait.start, attempt: wait.attempt)
            spans.append(wait)
            last = wait.end
        }
        work(until: ended, attempt: waits.last.map { $0.phase == .backoff ? $0.attempt + 1 : $0.attempt } ?? 1)
        return spans
    }

    /// The work behind the node's error, even if the error was derived from another one.
    private var failedDetail: (any WorkDetail)? {
        error.flatMap { ErrorOrigin.first((any WorkError).self, behind: $0) }?.detail
    }
}
