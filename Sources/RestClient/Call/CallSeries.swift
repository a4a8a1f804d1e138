// SPDX-License-Identifier: MIT

import JobGraphs

/// The calls of a feed or a download, which are one piece of work: it is running until its end, also between two calls,
/// and observers see it as one call.
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

    /// Ends the series; again, this does nothing. The error of the end may be a ``CallFailure``.
    ///
    /// One that was announced is listed no longer, and is awaited until ``close()``.
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
