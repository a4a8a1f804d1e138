// SPDX-License-Identifier: MIT

import JobGraphs

extension RequestNode {
    /// The responses of the call: one, or with ``CachePolicy/thenNetwork`` first a stored one and then the server's.
    ///
    /// ```swift
    /// for try await response in manager.request(.orders).cache(.thenNetwork).responses() {
    ///     show(response.model, isFresh: !response.source.isCache)
    /// }
    /// ```
    ///
    /// Nothing happens until the sequence is iterated; each iteration is a separate call, which starts when the first
    /// response is requested. Ending the iteration early, or cancelling its task, cancels the call. The sequence throws
    /// the error of the call; a stored response may have been delivered before.
    ///
    /// - Returns: The responses; each has its source.
    public func responses() -> some AsyncSequence<Response<Model>, any Error> & Sendable {
        DeferredStream<Response<Model>> { [self, sender] continuation in
            let last = try await sender.response(self) { model, details in
                continuation.yield(Response(model: model, details: details))
            }
            continuation.yield(last)
        }
    }

    /// Prefetches the response into the cache, at low priority; failures are reported only to observers of events.
    ///
    /// Unless a policy is set, a request is sent only if the stored response is stale by the rules of HTTP. The
    /// handlers of the node (`onSuccess` and others) are not called.
    ///
    /// - Returns: The call, which can be cancelled or awaited.
    @discardableResult
    public func prefetch() -> RequestCall {
        var node = self
        node.handlers.callbacks = RequestCallbacks()
        node.options[.priority] = node.options[.priority] ?? .low
        if node.options[.cachePolicy] == nil {
            node.options[.usesCacheUnlessDenied] = true
        }
        let (sent, sender) = (node, sender)
        return sender.start(sent, priority: .background) { call in
            _ = try? await sender.perform(sent, announced: call, early: nil)
        }
    }
}
