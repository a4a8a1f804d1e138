// SPDX-License-Identifier: MIT

import RestEssentials

typealias EarlyDelivery<Model> = @Sendable (Model, ResponseDetails) async -> Void

typealias ErrorRewrite = @Sendable (any Error) async -> any Error

/// The object that sends the calls of nodes: a manager, as nodes see it.
protocol RequestSender: AnyObject, Sendable {
    /// Runs a call, which ``start(_:priority:_:)`` may have announced; `early` receives a stored response before the
    /// server's.
    func perform<Model>(
        _ node: RequestNode<Model>,
        announced: CallContext.Beginning?,
        early: EarlyDelivery<Model>?
    ) async throws -> (model: Model, details: ResponseDetails)

    func start<Model>(
        _ node: RequestNode<Model>,
        priority: TaskPriority?,
        _ operation: @escaping @Sendable (CallContext.Beginning) async -> Void
    ) -> RequestCall

    /// Sends the call of a node, calls its handlers, and returns when the head of the response has arrived.
    func stream<Model>(_ node: RequestNode<Model>) async throws -> StreamedResponse

    /// Sends a call without handlers, and returns when the head of the response has arrived.
    func open(_ specification: RequestSpecification) async throws(CallFailure) -> StreamedResponse

    /// Returns what reports the progress of a call that sends several requests, to the handlers and to those that the
    /// call's options and the task's scopes name.
    func reporter(of call: CallContext, to handlers: [ProgressSinks.Handler]) -> ProgressReporter

    /// Sends the call that a node describes, and hands over its connection; the call is under way until it is ended.
    func upgrade<Model>(_ node: RequestNode<Model>) async throws -> UpgradedCall<Model>

    /// Begins a series of calls, each of which is a part of a feed or a download; it is running until its end or its
    /// release.
    func series(of specification: RequestSpecification, _ model: Any.Type) -> CallSeries

    /// Begins the series of calls of a download, which runs handlers before the first one and after the last one; it is
    /// listed until its end, and awaited until it is closed or released.
    func transferSeries<Model>(of node: RequestNode<Model>) -> CallSeries

    /// Returns the failure of a series of calls; `mapError` replaces the error before the mappers of all levels do.
    func failure(
        _ error: any Error,
        of specification: RequestSpecification,
        _ mapError: ErrorRewrite?
    ) async -> CallFailure

    var now: Date { get }

    /// The time on the clock by which ``pause(_:)`` waits.
    var instant: Duration { get }

    func pause(_ duration: Duration) async throws

    /// Emits an event of a feed or a download as a whole, if there are observers.
    func emit(_ kind: @autoclosure () -> ClientEvent.Kind, of series: CallSeries)

    func resolve(_ specification: RequestSpecification) throws -> OutgoingRequest
}

extension RequestSender {
    func response<Model>(
        _ node: RequestNode<Model>,
        announced: CallContext.Beginning? = nil,
        early: EarlyDelivery<Model>? = nil
    ) async throws -> Response<Model> {
        let (model, details) = try await perform(node, announced: announced, early: early)
        return Response(model: model, details: details)
    }

    /// Emits that a stream of events or a download sends its next request after a wait.
    func announce(_ delay: Duration, because error: any Error, in series: CallSeries) {
        emit(.retryDecided(number: series.shared.facts.attempts + 1, delay: delay, error), of: series)
    }
}
