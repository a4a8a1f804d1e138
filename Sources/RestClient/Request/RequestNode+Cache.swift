// SPDX-License-Identifier: MIT

import JobGraphs

extension RequestNode {
    /// The responses of the call: one, or with ``CachePolicy/thenNetwork`` a stored one first, and then the server's.
    ///
    /// ```swift
    /// for try await response in manager.request(.orders).cache(.thenNetwork).responses() {
    ///     show(response.model, isFresh: !response.source.isCache)
    /// }
    /// ```
    ///
    /// - Returns: The responses; each says where it came from.
    public func responses() -> ResponseSequence<Model> {
        ResponseSequence(node: self, sender: sender)
    }

    /// Fills the cache ahead of the need, while nothing more important is to be done; nobody hears of a failure but the
    /// observers of events.
    ///
    /// A call that does not say otherwise asks the server only when what is stored is too old by the rules of HTTP.
    ///
    /// - Returns: The call under way, by which it can be cancelled or waited for.
    @discardableResult
    public func prefetch() -> RequestCall {
        var node = self
        node.handlers.callbacks = RequestCallbacks()
        node.options[.priority] = node.options[.priority] ?? .low
        if node.options[.cachePolicy] == nil {
            node.options[.usesCacheUnlessDenied] = true
        }
        let (sent, sender) = (node, sender)
        return RequestCall(priority: .background) {
            _ = try? await sender.perform(sent, early: nil)
        }
    }
}
