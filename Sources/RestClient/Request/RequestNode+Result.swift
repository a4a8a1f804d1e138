// SPDX-License-Identifier: MIT

public import JobGraphs

/// Replaces the result of a call by another one.
typealias ResultRewrite<Model> = @Sendable (Result<Model, any Error>) async throws -> Model

extension RequestNode {
    /// Decodes the response with a closure instead of the dogma.
    ///
    /// - Parameter decode: Makes the model from the response. What it throws becomes the underlying error of a
    ///   ``RestClientError/Code-swift.struct/decodingFailed``.
    /// - Returns: A changed copy.
    public consuming func decode(_ decode: @escaping @Sendable (RawResponse) throws -> Model) -> Self {
        decoding = .custom(decode)
        return self
    }

    /// Replaces the result, good or bad, before anyone sees it.
    ///
    /// The handler's result is what `send()` returns, what the next step of a chain is handed, what a group reports and
    /// what the events tell. Several handlers run in the order they were added. It is not called when the call is
    /// cancelled.
    ///
    /// - Parameter rewrite: Returns the model to use, or throws the error to use.
    /// - Returns: A changed copy.
    public consuming func mapResult(
        _ rewrite: @escaping @Sendable (Result<Model, any Error>) async throws -> Model
    ) -> Self {
        handlers.rewrites.append(rewrite)
        return self
    }

    /// Turns the failure into an error of your own.
    ///
    /// ```swift
    /// node.mapError { error in
    ///     if let problem = error.decodedBody(as: Problem.self) { problem } else { error }
    /// }
    /// ```
    ///
    /// - Parameter transform: Returns the error to throw; errors of other types pass by untouched.
    /// - Returns: A changed copy.
    public consuming func mapError(
        _ transform: @escaping @Sendable (RestClientError) -> any Error
    ) -> Self {
        mapResult { result in
            do {
                return try result.get()
            } catch let error as RestClientError {
                throw transform(error)
            }
        }
    }

    /// Makes the node from the result of the step before it, when it runs in a chain.
    ///
    /// ```swift
    /// let details = RequestNode(.details).handover { node, previous in
    ///     node.parameter("id", try previous.value(as: Login.self).userID)
    /// }
    /// ```
    ///
    /// - Parameter prepare: Returns the node to send in place of this one. What it is given is empty for
    ///   the first step of a chain, and for a call that runs alone or in a concurrent group.
    /// - Returns: A changed copy.
    public consuming func handover(
        _ prepare: @escaping @Sendable (RequestNode, PreviousResult) async throws -> RequestNode
    ) -> Self {
        handlers.handover = prepare
        return self
    }
}
