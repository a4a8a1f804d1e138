// SPDX-License-Identifier: MIT

extension RequestNode {
    /// Sets the handler that is called when a call begins, whichever way it is sent.
    ///
    /// - Parameter handler: Called once for each call.
    /// - Returns: A changed copy.
    public consuming func onStart(_ handler: @escaping @Sendable () -> Void) -> Self {
        handlers.callbacks.onStart = handler
        return self
    }

    /// Sets the handler that is called with a response, whichever way the call is sent.
    ///
    /// - Parameter handler: Called once.
    /// - Returns: A changed copy.
    public consuming func onSuccess(_ handler: @escaping @Sendable (Response<Model>) -> Void) -> Self {
        handlers.callbacks.onSuccess = handler
        return self
    }

    /// Sets the handler that is called with a response from the cache, in place of the handler for other responses.
    ///
    /// - Parameter handler: Called once.
    /// - Returns: A changed copy.
    public consuming func onCacheSuccess(_ handler: @escaping @Sendable (Response<Model>) -> Void) -> Self {
        handlers.callbacks.onCacheSuccess = handler
        return self
    }

    /// Sets the handler that is called with a stored response that the server confirmed, in place of the handler for
    /// other responses.
    ///
    /// - Parameter handler: Called once.
    /// - Returns: A changed copy.
    public consuming func onNotModified(_ handler: @escaping @Sendable (Response<Model>) -> Void) -> Self {
        handlers.callbacks.onNotModified = handler
        return self
    }

    /// Sets the handler that is called with the error of a failed call; for a cancelled call that is a
    /// `CancellationError`.
    ///
    /// - Parameter handler: Called once.
    /// - Returns: A changed copy.
    public consuming func onError(_ handler: @escaping @Sendable (any Error) -> Void) -> Self {
        handlers.callbacks.onError = handler
        return self
    }

    /// Sets the handler that is called if the server refuses the credentials or no token can be obtained, in place of
    /// the handler for other errors.
    ///
    /// Handlers of the manager, the server and the API
    /// (``CallConfigurable/onUnauthorized(_:)``) are called before it.
    ///
    /// - Parameter handler: Called once.
    /// - Returns: A changed copy.
    public consuming func onUnauthorized(_ handler: @escaping @Sendable (any Error) -> Void) -> Self {
        handlers.callbacks.onUnauthorized = handler
        return self
    }

    /// Sets the handler that is called if the call takes too long, in place of the handler for other errors.
    ///
    /// - Parameter handler: Called once.
    /// - Returns: A changed copy.
    public consuming func onTimeout(_ handler: @escaping @Sendable (any Error) -> Void) -> Self {
        handlers.callbacks.onTimeout = handler
        return self
    }

    /// Sets the handler that is called if the server cannot be reached (``FailureClass/network``), in place of the
    /// handler for other errors.
    ///
    /// - Parameter handler: Called once.
    /// - Returns: A changed copy.
    public consuming func onOffline(_ handler: @escaping @Sendable (any Error) -> Void) -> Self {
        handlers.callbacks.onOffline = handler
        return self
    }

    /// Sets the handler that is called if the call is cancelled, in place of the handler for errors.
    ///
    /// - Parameter handler: Called once.
    /// - Returns: A changed copy.
    public consuming func onCancel(_ handler: @escaping @Sendable () -> Void) -> Self {
        handlers.callbacks.onCancel = handler
        return self
    }

    /// Runs the node's handlers on an actor, as on `MainActor.shared`; on no actor by default.
    ///
    /// The call ends when its last handler has returned, so a handler sees what the ones before it did.
    ///
    /// ```swift
    /// node.onSuccess { response in MainActor.assumeIsolated { show(response.model) } }
    ///     .callbacks(on: MainActor.shared)
    ///     .resume()
    /// ```
    ///
    /// - Parameter actor: The actor.
    /// - Returns: A changed copy.
    public consuming func callbacks(on actor: any Actor) -> Self {
        handlers.callbacks.place = CallbackPlace(actor)
        return self
    }

    /// Runs the node's handlers on a queue or the like.
    ///
    /// ```swift
    /// node.callbacks { work in queue.async(execute: work) }
    /// ```
    ///
    /// - Parameter perform: Runs the work that it is given, exactly once. The call goes on when the work is done.
    /// - Returns: A changed copy.
    public consuming func callbacks(
        _ perform: @escaping @Sendable (_ work: @escaping @Sendable () -> Void) -> Void
    ) -> Self {
        handlers.callbacks.place = CallbackPlace(perform: perform)
        return self
    }

    /// Sends the call from code that is not async, and calls one of the node's handlers once.
    ///
    /// With ``CachePolicy/thenNetwork`` a stored response goes first to the handler of ``onCacheSuccess(_:)``, if there
    /// is one. Then the server's response goes to ``onSuccess(_:)``, or the error to ``onError(_:)``.
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
