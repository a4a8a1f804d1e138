// SPDX-License-Identifier: MIT

extension RequestNode {
    /// Sends the call and decodes the response.
    ///
    /// The manager that created the node sends it; a node created without one is sent by ``RestClientManager/shared``.
    /// To send it with another one, use ``RestClientManager/run(_:)``.
    ///
    /// - Returns: The model.
    /// - Throws: ``RestClientError``, an error of your own code, or `CancellationError` when the task is cancelled.
    ///   Cancellation ends the exchange on the wire; nothing is stored afterwards.
    @concurrent
    public func send() async throws -> Model {
        try await sender.perform(self, announced: nil, early: nil).model
    }

    /// Sends the call and decodes the response.
    ///
    /// - Returns: The model with the metadata of the response: status, header fields, source, attempts, time.
    /// - Throws: ``RestClientError``, an error of your own code, or `CancellationError` when the task is cancelled.
    @concurrent
    public func response() async throws -> Response<Model> {
        try await sender.response(self)
    }

    consuming func bound(to owner: any CallSender) -> Self {
        self.owner = owner
        return self
    }
}
