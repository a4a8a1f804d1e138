// SPDX-License-Identifier: MIT

import JobGraphs

extension RequestNode {
    /// Sets the handler that is called when a call begins, regardless of how it is sent.
    ///
    /// This and the handlers for failures are also called for ``stream()`` and ``download(to:_:sha256:progress:)``.
    /// Server-sent events and web sockets, which are read in a loop, call no handlers.
    ///
    /// - Parameter handler: Called once for each call; a node of a graph that is retried makes a call for each attempt.
    /// - Returns: A changed copy.
    public consuming func onStart(_ handler: @escaping @Sendable () -> Void) -> Self {
        handlers.callbacks.onStart = handler
        return self
    }

    /// Sets the handler that is called with a response, regardless of how the call is sent.
    ///
    /// It is not called for a stream or a download, whose responses are not decoded.
    ///
    /// - Parameter handler: Called at most once for each call.
    /// - Returns: A changed copy.
    public consuming func onSuccess(_ handler: @escaping @Sendable (Response<Model>) -> Void) -> Self {
        handlers.callbacks.onSuccess = handler
        return self
    }

    /// Sets the handler that is called with a response from the cache, instead of the handler for other responses.
    ///
    /// - Parameter handler: Called at most once for each call.
    /// - Returns: A changed copy.
    public consuming func onCacheSuccess(_ handler: @escaping @Sendable (Response<Model>) -> Void) -> Self {
        handlers.callbacks.onCacheSuccess = handler
        return self
    }

    /// Sets the handler that is called with a stored response that the server confirmed, instead of the handler for
    /// other responses.
    ///
    /// - Parameter handler: Called at most once for each call.
    /// - Returns: A changed copy.
    public consuming func onNotModified(_ handler: @escaping @Sendable (Response<Model>) -> Void) -> Self {
        handlers.callbacks.onNotModified = handler
        return self
    }

    /// Sets the handler that is called with the error of a failed call: of any, or of one class only, instead of the
    /// handler for any.
    ///
    /// ```swift
    /// manager.request(.orders).onError(of: .network) { _ in showOffline() }.onError { show($0) }.resume()
    /// ```
    ///
    /// For a cancelled call the error is a `CancellationError`. An error mapper does not affect which handler is
    /// called. Handlers of the manager, the server and the API for rejected credentials
    /// (``CallConfigurable/onRefusedCredentials(_:)``) are called before these.
    ///
    /// - Parameters:
    ///   - failure: The class of the failures; `nil`, the default, for all that no other handler is set for.
    ///   - handler: Called at most once for each call.
    /// - Returns: A changed copy.
    public consuming func onError(
        of failure: FailureClass? = nil,
        _ handler: @escaping @Sendable (any Error) -> Void
    ) -> Self {
        handlers.callbacks.onError[failure] = handler
        return self
    }

    /// Runs the node's handlers on an actor, such as `MainActor.shared`; on no actor by default.
    ///
    /// The call ends when its last handler has returned, so each handler sees the effects of the previous ones.
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

    /// Runs the node's handlers in a place of your choice, such as a queue.
    ///
    /// ```swift
    /// node.callbacks { work in queue.async(execute: work) }
    /// ```
    ///
    /// Such a place has none of the task's scopes: a call that a handler begins there is outside of the dummies, the
    /// environment and the ``RestClientManager/withCalls(isolation:operation:)`` in which the node was sent. Handlers
    /// on an actor keep them.
    ///
    /// - Parameter perform: Runs the given work once. The call continues when the work is done, or when it is released
    ///   without having run; running it again does nothing.
    /// - Returns: A changed copy.
    public consuming func callbacks(
        _ perform: @escaping @Sendable (_ work: @escaping @Sendable () -> Void) -> Void
    ) -> Self {
        handlers.callbacks.place = CallbackPlace(perform: perform)
        return self
    }

    /// Sends the call from synchronous code, and calls one of the node's handlers once, or the given one instead.
    ///
    /// With ``CachePolicy/thenNetwork`` a stored response is first passed to the handler of ``onCacheSuccess(_:)``, if
    /// there is one. Then the server's response is passed to ``onSuccess(_:)``, or the error to ``onError(of:_:)``.
    ///
    /// - Parameter completion: Called with the response or the error, on no actor; the node's own handlers are then not
    ///   called.
    /// - Returns: The call, which can be cancelled.
    @discardableResult
    public func resume(
        _ completion: (@Sendable (Result<Response<Model>, any Error>) -> Void)? = nil
    ) -> RequestCall {
        var node = self
        if completion != nil {
            node.handlers.callbacks = RequestCallbacks()
        }
        let (sent, sender) = (node, sender)
        return sender.start(sent, priority: nil) { call in
            do {
                let response = try await sender.response(sent, announced: call)
                completion?(.success(response))
            } catch {
                completion?(.failure(error))
            }
        }
    }
}

/// A call that was started with a callback.
///
/// Releasing this value does not end the call; ``cancel()`` does.
public struct RequestCall: Sendable {
    private let task: Task<Void, Never>

    init(priority: TaskPriority? = nil, _ operation: @concurrent @escaping @Sendable () async -> Void) {
        task = Task(priority: priority, operation: operation)
    }

    /// Cancels the call.
    ///
    /// Its callback receives a `CancellationError`. Cancelling a call again, or after its end, does nothing.
    public func cancel() {
        task.cancel()
    }

    /// Waits until the callback has returned.
    public func finished() async {
        await task.value
    }
}

extension RequestCall: CancellableWork {}
