// SPDX-License-Identifier: MIT

public import JobGraphs

/// Replaces the result of a call.
typealias ResultRewrite<Model> = @Sendable (Result<Model, any Error>) async throws -> Model

extension RequestNode {
    /// Decodes the response with a closure instead of the dogma.
    ///
    /// - Parameter decode: Returns the model for the response. An error that it throws becomes the underlying error of
    ///   a ``RestClientError/Code-swift.struct/decodingFailed``.
    /// - Returns: A changed copy.
    public consuming func decode(_ decode: @escaping @Sendable (RawResponse) throws -> Model) -> Self {
        decoding = .custom(decode)
        return self
    }

    /// Replaces the result, whether a model or an error, before anyone else sees it.
    ///
    /// `send()`, the next step of a chain, group reports and events receive the handler's result. Several handlers run
    /// in the order in which they were added. They are not called when the call is cancelled.
    ///
    /// - Parameter rewrite: Returns the model to use, or throws the error to use.
    /// - Returns: A changed copy.
    public consuming func mapResult(
        _ rewrite: @escaping @Sendable (Result<Model, any Error>) async throws -> Model
    ) -> Self {
        handlers.rewrites.append(rewrite)
        return self
    }

    /// Creates the node from the result of the previous step when it runs in a chain.
    ///
    /// ```swift
    /// let details = RequestNode(.details).handover { node, previous in
    ///     node.parameter("id", try previous.value(as: Login.self).userID)
    /// }
    /// ```
    ///
    /// - Parameter prepare: Returns the node to send instead of this one. Its previous result is empty for the first
    ///   step of a chain, and for a call that runs alone or in a concurrent group.
    /// - Returns: A changed copy.
    public consuming func handover(
        _ prepare: @escaping @Sendable (RequestNode, PreviousResult) async throws -> RequestNode
    ) -> Self {
        handlers.handover = prepare
        return self
    }
}
