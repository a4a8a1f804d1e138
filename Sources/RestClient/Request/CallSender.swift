// SPDX-License-Identifier: MIT

import RestEssentials

/// Receives a model before the result of its call.
typealias EarlyDelivery<Model> = @Sendable (Model, ResponseDetails) async -> Void

/// Replaces the error of a call.
typealias ErrorRewrite = @Sendable (any Error) async -> any Error

/// The object that sends the calls of nodes: a manager, as nodes see it.
protocol CallSender: AnyObject, Sendable {
    /// Runs a call.
    ///
    /// - Parameters:
    ///   - node: The request.
    ///   - announced: The beginning of the call, if ``start(_:priority:_:)`` started it; `nil` otherwise.
    ///   - early: Receives a stored response before the server's, if the call wants both.
    /// - Returns: The model, and the response from which it was decoded.
    /// - Throws: ``RestClientError``, an error of the user's own code, or `CancellationError`.
    func perform<Model>(
        _ node: RequestNode<Model>,
        announced: CallBeginning?,
        early: EarlyDelivery<Model>?
    ) async throws -> (model: Model, details: ResponseDetails)

    /// Starts a call from synchronous code; it is running from now on.
    ///
    /// - Parameters:
    ///   - node: The request.
    ///   - priority: The priority of the call's task; `nil` for the caller's.
    ///   - operation: Runs the call, and its handlers.
    /// - Returns: The call.
    func start<Model>(
        _ node: RequestNode<Model>,
        priority: TaskPriority?,
        _ operation: @escaping @Sendable (CallBeginning) async -> Void
    ) -> RequestCall

    /// Sends the call of a node, calls its handlers, and returns when the head of the response has arrived.
    func stream<Model>(_ node: RequestNode<Model>) async throws -> StreamedResponse

    /// Sends a call without handlers, and returns when the head of the response has arrived.
    func open(_ specification: RequestSpecification) async throws(CallFailure) -> StreamedResponse

    /// Returns what reports the progress of a call that sends several requests.
    ///
    /// - Parameters:
    ///   - call: The call, as it is resolved.
    ///   - handlers: Take the progress, besides those that the call's options and the task's scopes name.
    /// - Returns: The reporter.
    func reporter(of call: CallContext, to handlers: [ProgressSinks.Handler]) -> ProgressReporter

    /// Sends the call that a node describes, and hands over its connection.
    ///
    /// - Parameter node: The request, whose specification has an upgrade.
    /// - Returns: The call, which is under way until it is ended.
    /// - Throws: ``RestClientError``, an error of the user's own code, or `CancellationError`.
    func upgrade<Model>(_ node: RequestNode<Model>) async throws -> UpgradedCall<Model>

    /// Begins a series of calls, each of which is a part of a feed or a download.
    ///
    /// - Parameters:
    ///   - specification: The request of the calls.
    ///   - model: The type of the calls' models.
    /// - Returns: The series, which is running until its end or its release.
    func series(of specification: RequestSpecification, _ model: Any.Type) -> CallSeries

    /// Begins the series of calls of a download, which runs handlers before the first one and after the last one.
    ///
    /// - Parameter node: The request of the calls.
    /// - Returns: The series, which is listed until its end, and awaited until it is closed or released.
    func transferSeries<Model>(of node: RequestNode<Model>) -> CallSeries

    /// Returns the failure of a series of calls.
    ///
    /// - Parameters:
    ///   - error: The error of its last call, or of what was done with the responses.
    ///   - specification: The request, whose mappers at all levels replace the error.
    ///   - mapError: Replaces the error before, as the node's handlers wish.
    /// - Returns: The failure.
    func failure(
        _ error: any Error,
        of specification: RequestSpecification,
        _ mapError: ErrorRewrite?
    ) async -> CallFailure

    /// The time by the sender's calendar.
    var now: Date { get }

    /// Waits on the sender's clock.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    func pause(_ duration: Duration) async throws

    /// Emits an event of a feed or a download as a whole, if there are observers.
    func emit(_ kind: @autoclosure () -> ClientEvent.Kind, of series: CallSeries)

    /// Returns the request of a node without sending it.
    func resolve(_ specification: RequestSpecification) throws -> OutgoingRequest
}

extension CallSender {
    /// Runs a call whose model may also arrive early.
    func response<Model>(
        _ node: RequestNode<Model>,
        announced: CallBeginning? = nil,
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
