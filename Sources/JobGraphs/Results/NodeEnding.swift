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

    /// The number of attempts: those that the work reports itself, or those made by a retry policy.
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

    /// A description of the last work, if that describes itself.
    var detail: String? {
        if let detail = note?.detail {
            return detail.words
        }
        return kind == .request ? failedDetail?.words : nil
    }

    /// The source of the result, if it is known.
    var source: RunReport.Source? { note?.detail?.source }

    /// The phases of the node's time: those that its work reports, and the waits between its attempts.
    var spans: [RunReport.Span] {
        switch kind {
        case .request, .poll, .fallback:
            let note = note ?? JobNote.Contents()
            let begun = times.started ?? .zero
            let spans = note.spans + note.spansOfLastAttempt(failed: error, since: runStart, begun: begun)
            // A local job notes only its waits.
            guard kind != .request, let started, let ended, spans.allSatisfy(\.isPause) else {
                return spans
            }
            return spans.filled(from: started, to: ended)
        case .local, .job:
            guard let waits = note?.spans, let started, let ended else {
                return []
            }
            // What comes after the work, like storing its result, holds no slot.
            let workEnded = note?.workEnded.map { $0 - runStart } ?? ended
            return waits.isEmpty && workEnded < ended
                ? [RunReport.Span(.running, start: started, end: workEnded)]
                : waits.filled(from: started, to: workEnded)
        case .input, .graph, .forEach, .condition:
            // The error of a node with inner nodes belongs to them.
            return note?.spans ?? []
        }
    }

    /// The work behind the node's error, even if the error was derived from another one.
    private var failedDetail: (any WorkDetail)? {
        error.flatMap { ErrorOrigin.first((any WorkError).self, behind: $0) }?.detail
    }
}
