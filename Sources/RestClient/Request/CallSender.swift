// SPDX-License-Identifier: MIT

/// Takes a model that comes ahead of the result of its call.
typealias EarlyDelivery<Model> = @Sendable (Model, ResponseDetails) async -> Void

/// Replaces the error of a call.
typealias ErrorRewrite = @Sendable (any Error) async -> any Error

/// Sends the calls that nodes describe: a manager, as nodes know it.
protocol CallSender: AnyObject, Sendable {
    /// Runs a call.
    ///
    /// - Parameters:
    ///   - node: The request.
    ///   - early: Takes a stored response ahead of the server's, if the call wants both.
    /// - Returns: The model, and the response it was made of.
    /// - Throws: ``RestClientError``, an error of the user's own code, or `CancellationError`.
    func perform<Model>(
        _ node: RequestNode<Model>,
        early: EarlyDelivery<Model>?
    ) async throws -> (model: Model, details: ResponseDetails)

    /// Sends the call that a node describes, and returns once the head of the response is there.
    func open(_ specification: RequestSpecification, mapError: ErrorRewrite?) async throws -> StreamedResponse

    /// Sends the call that a node describes, and hands over its connection.
    ///
    /// - Parameters:
    ///   - node: The request, whose specification has an upgrade.
    ///   - mapError: Replaces the error of a call that fails.
    func upgrade<Model>(_ node: RequestNode<Model>, mapError: ErrorRewrite?) async throws -> UpgradedCall<Model>

    /// Waits on the sender's clock.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    func pause(_ duration: Duration) async throws

    /// Returns the request that a node describes, without sending it.
    func resolve(_ specification: RequestSpecification) throws -> OutgoingRequest
}

extension CallSender {
    /// Runs a call whose model may come early too.
    func response<Model>(
        _ node: RequestNode<Model>,
        early: EarlyDelivery<Model>? = nil
    ) async throws -> Response<Model> {
        let (model, details) = try await perform(node, early: early)
        return Response(model: model, details: details)
    }
}
