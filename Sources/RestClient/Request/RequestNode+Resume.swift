// SPDX-License-Identifier: MIT

extension RequestNode {
    /// Sets the handler that is called with a response, whichever way the call is sent.
    ///
    /// - Parameter handler: Called once, on no actor.
    /// - Returns: A changed copy.
    public consuming func onSuccess(_ handler: @escaping @Sendable (Response<Model>) -> Void) -> Self {
        handlers.callbacks.onSuccess = handler
        return self
    }

    /// Sets the handler that is called with a response from the cache, in place of the handler for other responses.
    ///
    /// - Parameter handler: Called once, on no actor.
    /// - Returns: A changed copy.
    public consuming func onCacheSuccess(_ handler: @escaping @Sendable (Response<Model>) -> Void) -> Self {
        handlers.callbacks.onCacheSuccess = handler
        return self
    }

    /// Sets the handler that is called with the error of a failed call; for a cancelled call that is a
    /// `CancellationError`.
    ///
    /// - Parameter handler: Called once, on no actor.
    /// - Returns: A changed copy.
    public consuming func onError(_ handler: @escaping @Sendable (any Error) -> Void) -> Self {
        handlers.callbacks.onError = handler
        return self
    }

    /// Sends the call from code that is not async, and calls one of the node's handlers once.
    ///
    /// With ``CachePolicy/thenNetwork`` a stored response goes first to the handler of ``onCacheSuccess(_:)``, or else
    /// of ``onSuccess(_:)``. Then the server's response goes to ``onSuccess(_:)``, or the error to ``onError(_:)``.
    ///
    /// - Returns: The call, which can be cancelled.
    @discardableResult
    public func resume() -> RequestCall {
        let sender = sender
        return RequestCall { _ = try? await sender.perform(self, early: nil) }
    }

    /// Sends the call from code that is not async, and calls a handler once.
    ///
    /// The node's own handlers are not called.
    ///
    /// - Parameter completion: Called with the response or the error, on no actor.
    /// - Returns: The call, which can be cancelled.
    @discardableResult
    public func resume(
        _ completion: @escaping @Sendable (Result<Response<Model>, any Error>) -> Void
    ) -> RequestCall {
        let sender = sender
        var silent = self
        silent.handlers.callbacks = RequestCallbacks()
        let node = silent
        return RequestCall {
            do {
                completion(.success(try await sender.response(node)))
            } catch {
                completion(.failure(error))
            }
        }
    }
}
