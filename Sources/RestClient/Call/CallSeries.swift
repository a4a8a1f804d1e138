// SPDX-License-Identifier: MIT

import HTTPTypes
import JobGraphs
import Synchronization

/// The calls of a feed or a download, which observers see as one call: it runs from the beginning of the first to the
/// end of the last, also between two of them.
package final class CallSeries: Sendable {
    /// The one call that observers see, which is ``CallPolicy/series`` of its calls.
    let shared: SeriesCall

    var id: CallID { shared.id }

    private let context: CallContext?
    private let table: CallTable
    private let clock: ClientClock
    private let cancellation = CallCancellation()
    private let ended: Ended

    /// Takes the end of a series that has begun, once.
    typealias Ended = @Sendable (_ call: SeriesCall, _ end: StreamEnd) -> Void

    /// Creates a series, and enters it among the running calls until ``end()`` or its release; one without a context,
    /// whose calls cannot be built, is not listed.
    ///
    /// An announced one is awaited until ``close()``.
    init(
        _ context: CallContext?,
        of model: Any.Type,
        in table: CallTable,
        clock: ClientClock,
        announced: CallID? = nil,
        ended: @escaping Ended
    ) {
        shared = SeriesCall(
            id: announced ?? context?.id ?? .next(),
            groupID: context?.groupID,
            start: context?.start ?? clock.now()
        )
        self.ended = ended
        self.context = context
        self.table = table
        self.clock = clock
        if let context {
            table.enterSeries(context, model, cancellation)
        } else if let announced {
            table.attach(cancellation, to: announced)
        }
    }

    deinit {
        close()
    }

    /// Throws `CancellationError` once the series is cancelled.
    package func checkCancellation() throws {
        guard !cancellation.isCancelled else {
            throw CancellationError()
        }
    }

    /// Waits between two calls; throws `CancellationError` when the task or the series is cancelled.
    package func pause(_ duration: Duration) async throws {
        try checkCancellation()
        try await cancellation.waits { [clock] in try await clock.sleep(for: duration) }
        try checkCancellation()
    }

    /// Ends the series; again, this does nothing.
    ///
    /// The error of the end may be a ``CallFailure``. One that was announced is listed no longer, and is awaited until
    /// ``close()``.
    package func end(_ end: StreamEnd = .cancelled) {
        table.leave(id, key: context?.policy.duplicateKey)
        if shared.end() {
            ended(shared, end)
        }
    }

    /// Ends the series, whose last handler has returned; again, this does nothing.
    func close() {
        end()
        table.close(id)
    }
}

/// The call that observers see in place of the calls of a series, whose beginnings and ends they do not see.
final class SeriesCall: Sendable {
    struct Facts: Sendable {
        /// The request, once the series has begun.
        var request: RequestSummary?
        /// The latest successful response.
        var status = HTTPResponse.Status.ok
        var source = ResponseSource.network
        /// The timings of the latest call that ended.
        var timings: CallTimings?
        var attempts = 0
        var isOver = false
    }

    let id: CallID
    let groupID: GroupID?
    /// The time on the manager's clock at which the series began.
    let start: Duration
    private let state = Mutex(Facts())

    init(id: CallID, groupID: GroupID?, start: Duration) {
        self.id = id
        self.groupID = groupID
        self.start = start
    }

    var facts: Facts { state.withLock { $0 } }

    /// Records that a call begins; returns true for the first one.
    func begin(_ request: @autoclosure () -> RequestSummary) -> Bool {
        let isFirst = state.withLock { $0.request == nil }
        guard isFirst else {
            return false
        }
        let request = request()
        return state.withLock { facts in
            defer { facts.request = facts.request ?? request }
            return facts.request == nil
        }
    }

    /// Counts an attempt of any of the calls; returns its number, beginning with 1.
    func beginAttempt() -> Int {
        state.withLock { facts in
            facts.attempts += 1
            return facts.attempts
        }
    }

    /// Records the head of a response that was accepted.
    func responded(_ status: HTTPResponse.Status, _ source: ResponseSource) {
        state.withLock { facts in
            if status.code < 300 {
                (facts.status, facts.source) = (status, source)
            }
        }
    }

    func left(_ timings: CallTimings?) {
        state.withLock { $0.timings = timings }
    }

    /// Ends the series; returns true if it had begun, and had not ended.
    func end() -> Bool {
        state.withLock { facts in
            defer { facts.isOver = true }
            return !facts.isOver && facts.request != nil
        }
    }
}
