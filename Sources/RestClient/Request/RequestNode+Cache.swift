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
}
