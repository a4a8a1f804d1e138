// SPDX-License-Identifier: MIT

import Synchronization

package final class JobNote: Sendable {
    package struct Contents: Sendable {
        private(set) var detail: (any WorkDetail)?
        var isResumed = false
        /// The number of the attempt with which the last piece of work begins; the total once that is counted.
        private(set) var attempts = 1
        /// True if the last piece of work is counted among the attempts and the spans.
        private var isCounted = false
        /// The waits between attempts, and the phases of the attempts before them.
        var spans: [RunReport.Span] = []
        /// The phases of earlier pieces of work of the last attempt, on the runtime's clock.
        private(set) var earlierWork: [RunReport.Span] = []
        /// The time, on the runtime's clock, at which the local work of the last attempt ended.
        var workEnded: Duration?
        package var failure: AttemptFailure?
        /// The wait that a result asks for, before the work is done again.
        package var requestedDelay: Duration?
        var children: [RunReport.Node] = []
        /// The number of inner nodes before those of the last attempt; `nil` unless the work has parts.
        private var earlierParts: Int?

        /// The number of parts of the last attempt; `nil` unless the work has parts.
        var partCount: Int? { earlierParts.map { children.count - $0 } }

        /// Adds the inner node of a part of the work, such as a page of a listing, after the part before it.
        ///
        /// The names of the parts of a further attempt differ from those of the first one.
        mutating func addPart(_ part: RunReport.Node, failure: AttemptFailure?) {
            let attempt = attempts > 1 ? " #\(attempts)" : ""
            var part = part
            part.name += " \((partCount ?? 0) + 1)\(attempt)"
            if let count = partCount, count > 0, let last = children.last {
                part.dependencies = [last.name]
            }
            earlierParts = earlierParts ?? children.count
            children.append(part)
            self.failure = failure
        }

        /// Records a piece of work, such as the call for a page, after those before it.
        package mutating func add(_ work: (any WorkDetail)?) {
            if let detail, !isCounted {
                earlierWork += spans(of: detail, from: detail.origin ?? .zero)
                attempts += max(0, detail.attempts - 1)
            }
            detail = work
            isCounted = false
        }

        mutating func endAttempt(
            failed error: (any Error)?,
            pause: Range<Duration>,
            isLast: Bool,
            since start: Duration
        ) {
            spans += spansOfLastAttempt(failed: error, since: start)
            attempts = totalAttempts(failed: error)
            earlierWork = []
            earlierParts = earlierParts.map { _ in children.count }
            isCounted = true
            spans.append(RunReport.Span(.backoff, attempt: attempts, start: pause.lowerBound, end: pause.upperBound))
            attempts += isLast ? 0 : 1
        }

        /// Returns the number of attempts, those within the pieces of work included; zero if nothing was sent.
        func totalAttempts(failed error: (any Error)?) -> Int {
            guard let work = lastWork(failed: error) else {
                return attempts
            }
            return attempts == 1 ? work.attempts : attempts - 1 + max(1, work.attempts)
        }

        func spansOfLastAttempt(
            failed error: (any Error)?,
            since start: Duration,
            begun: Duration = .zero
        ) -> [RunReport.Span] {
            var spans = earlierWork.map { $0.moved(by: .zero - start) }
            if let work = lastWork(failed: error), let origin = work.origin, origin >= begun {
                spans += self.spans(of: work, from: origin - start)
            }
            return spans
        }

        private func lastWork(failed error: (any Error)?) -> (any WorkDetail)? {
            // The error of a part belongs to the part.
            let failure = earlierParts == nil ? error : nil
            return failure.flatMap { ErrorOrigin.first((any WorkError).self, behind: $0) }?.detail
                ?? (isCounted ? nil : detail)
        }

        private func spans(of work: any WorkDetail, from offset: Duration) -> [RunReport.Span] {
            work.spans(from: offset)
                .map { RunReport.Span($0.phase, attempt: $0.attempt + attempts - 1, start: $0.start, end: $0.end) }
        }
    }

    private let contents = Mutex(Contents())

    var all: Contents { contents.withLock { $0 } }

    var isEmpty: Bool {
        contents.withLock { note in
            note.detail == nil && !note.isResumed && note.attempts == 1 && note.spans.isEmpty && note.children.isEmpty
                && note.failure == nil
        }
    }

    /// Removes a part, so that it is not attributed to a later attempt.
    func take<Part: Sendable>(_ part: WritableKeyPath<Contents, Part?>) -> Part? {
        contents.withLock { $0[keyPath: part].take() }
    }

    func noteWait(from start: Duration, to end: Duration, since runStart: Duration) {
        guard end > start else {
            return
        }
        contents.withLock { note in
            note.spans.append(
                RunReport.Span(.queued, attempt: note.attempts, start: start - runStart, end: end - runStart)
            )
        }
    }

    package func update(_ change: (inout Contents) -> Void) {
        contents.withLock { change(&$0) }
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

    /// Returns the spans within an interval, one after the other: of those that overlap, as hedged requests do, the one
    /// that began last counts; if the clock stood still, they stay as they are.
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
