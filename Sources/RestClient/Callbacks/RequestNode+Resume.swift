// SPDX-License-Identifier: MIT

extension RequestNode {
    /// Sets what ``resume()`` calls with an answer.
    ///
    /// - Parameter handler: Called once, on no actor.
    /// - Returns: A changed copy.
    public consuming func onSuccess(_ handler: @escaping @Sendable (Response<Model>) -> Void) -> Self {
        callbacks.onSuccess = handler
        return self
    }

    /// Sets what ``resume()`` calls with an answer from the cache, in place of the handler for other answers.
    ///
    /// - Parameter handler: Called once, on no actor.
    /// - Returns: A changed copy.
    public consuming func onCacheSuccess(_ handler: @escaping @Sendable (Response<Model>) -> Void) -> Self {
        callbacks.onCacheSuccess = handler
        return self
    }

    /// Sets what ``resume()`` calls when there is no answer; a cancelled call brings a `CancellationError`.
    ///
    /// - Parameter handler: Called once, on no actor.
    /// - Returns: A changed copy.
    public consuming func onError(_ handler: @escaping @Sendable (any Error) -> Void) -> Self {
        callbacks.onError = handler
        return self
    }

    /// Sends the call from code that is not async, and calls the node's handlers: exactly one of them, exactly once.
    ///
    /// - Returns: The call under way, by which it can be cancelled.
    @discardableResult
    public func resume() -> RequestCall {
        let callbacks = callbacks
        return resume { callbacks.call(with: $0) }
    }

    /// Sends the call from code that is not async, and calls a handler once; the node's own handlers are not called.
    ///
    /// - Parameter completion: Called with the answer or the error, on no actor.
    /// - Returns: The call under way, by which it can be cancelled.
    @discardableResult
    public func resume(
        _ completion: @escaping @Sendable (Result<Response<Model>, any Error>) -> Void
    ) -> RequestCall {
        let manager = sender
        return RequestCall {
            do {
                completion(.success(try await manager.response(self)))
            } catch {
                completion(.failure(error))
            }
        }
    }
}
