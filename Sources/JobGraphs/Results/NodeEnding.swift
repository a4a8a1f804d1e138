// SPDX-License-Identifier: MIT

struct NodeEnding {
    let kind: JobKind
    let error: (any Error)?
    let times: NodeTimes
    let note: JobNote.Contents?
    /// The time, on the runtime's clock, at which the run began.
    let runStart: Duration

    var started: Duration? { times.started.map { $0 - runStart } }

    var ended: Duration? { times.ended.map { $0 - runStart } }

    var attempts: Int {
        guard times.started != nil, note?.isResumed != true else {
            return 0
        }
        return (note ?? JobNote.Contents()).totalAttempts(failed: errorOfWork)
    }

    private var detail: String? {
        if let detail = note?.detail {
            return detail.words
        }
        if kind == .pages, let count = note?.partCount {
            return count == 1 ? "1 page" : "\(count) pages"
        }
        return errorOfWork.flatMap { ErrorOrigin.first((any WorkError).self, behind: $0) }?.detail?.words
    }

    private var spans: [RunReport.Span] {
        guard let started, let ended else {
            return note?.spans ?? []
        }
        let note = note ?? JobNote.Contents()
        let begun = times.started ?? .zero
        let spans = (note.spans + note.spansOfLastAttempt(failed: errorOfWork, since: runStart, begun: begun))
            .inOrder(from: .zero, to: ended)
        switch kind {
        case .poll, .fallback:
            // A local job notes only its waits.
            return spans.allSatisfy(\.isPause) ? spans.filled(from: started, to: ended) : spans
        case .local, .job:
            // What comes after the work, like storing its result, holds no slot.
            let workEnded = note.workEnded.map { $0 - runStart } ?? ended
            return spans.isEmpty && workEnded < ended
                ? [RunReport.Span(.running, start: started, end: workEnded)]
                : spans.filled(from: started, to: workEnded)
        case .request, .pages, .input, .graph, .forEach, .condition:
            return spans
        }
    }

    /// The node's error, if its own work can have thrown it: the error of a node with inner nodes belongs to them, and
    /// local work is one attempt, whatever it does.
    private var errorOfWork: (any Error)? {
        switch kind {
        case .request, .poll, .fallback, .job: error
        case .local, .pages, .input, .graph, .forEach, .condition: nil
        }
    }

    func report(
        _ name: String,
        kind reportKind: RunReport.Kind? = nil,
        after dependencies: [String] = [],
        tags: [String] = [],
        _ status: RunReport.Status,
        ready: Duration,
        words: (any Error) -> String
    ) -> RunReport.Node {
        RunReport.Node(
            name: name,
            kind: reportKind ?? RunReport.Kind(kind),
            dependencies: dependencies,
            tags: tags,
            status: status,
            attempts: attempts,
            error: error.map(words),
            detail: detail,
            source: note?.detail?.source,
            queued: started.map { min(ready, $0) },
            started: started,
            ended: ended,
            spans: spans,
            children: note?.children ?? []
        )
    }
}

extension RunReport.Status {
    init(_ outcome: JobOutcome<any Sendable>, _ note: JobNote.Contents?) {
        switch outcome {
        case .success where note?.isResumed == true: self = .resumed
        case .success: self = note?.detail?.isFromCache == true ? .fromCache : .success
        case .failure: self = .failure
        case .cancelled: self = .cancelled
        case .skipped: self = .skipped
        case .notRun: self = .notRun
        }
    }
}

extension RunReport.Kind {
    package init(_ kind: JobKind) {
        switch kind {
        case .request: self = .request
        case .pages: self = .pages
        case .input, .local, .job: self = .local
        case .graph: self = .graph
        case .forEach: self = .forEach
        case .poll: self = .poll
        case .condition: self = .condition
        case .fallback: self = .fallback
        }
    }
}
