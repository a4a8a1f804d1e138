// SPDX-License-Identifier: MIT

import Synchronization

extension RequestNode {
    /// Sets the handler that ``resume()`` calls with a response.
    ///
    /// - Parameter handler: Called once, on no actor.
    /// - Returns: A changed copy.
    public consuming func onSuccess(_ handler: @escaping @Sendable (Response<Model>) -> Void) -> Self {
        callbacks.onSuccess = handler
        return self
    }

    /// Sets the handler that ``resume()`` calls with a response from the cache, instead of the one for other responses.
    ///
    /// - Parameter handler: Called once, on no actor.
    /// - Returns: A changed copy.
    public consuming func onCacheSuccess(_ handler: @escaping @Sendable (Response<Model>) -> Void) -> Self {
        callbacks.onCacheSuccess = handler
        return self
    }

    /// Sets the handler that ``resume()`` calls with the error of a failed call.
    ///
    /// For a cancelled call that is a `CancellationError`.
    ///
    /// - Parameter handler: Called once, on no actor.
    /// - Returns: A changed copy.
    public consuming func onError(_ handler: @escaping @Sendable (any Error) -> Void) -> Self {
        callbacks.onError = handler
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
        let (callbacks, manager) = (callbacks, sender)
        return RequestCall {
            let hasEarly = Mutex(false)
            let result: Result<Response<Model>, any Error>
            do {
                let (model, answer) = try await manager.runner.run(self) { model, answer in
                    hasEarly.withLock { $0 = true }
                    callbacks.call(early: Response(model: model, answer: answer))
                }
                result = .success(Response(model: model, answer: answer))
            } catch {
                result = .failure(error)
            }
            if hasEarly.withLock({ $0 }) {
                callbacks.call(late: result)
            } else {
                callbacks.call(with: result)
            }
        }
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
