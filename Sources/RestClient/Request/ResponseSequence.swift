// SPDX-License-Identifier: MIT

/// The responses of one call in the order of their arrival: one, or with ``CachePolicy/thenNetwork`` first a stored
/// one.
///
/// Nothing happens until it is iterated; each iteration is a separate call. Ending the iteration early, or cancelling
/// its task, cancels the call.
public struct ResponseSequence<Model: Sendable>: AsyncSequence, Sendable {
    let node: RequestNode<Model>
    let sender: any CallSender

    /// Creates an iterator; the call starts when the first response is requested.
    public func makeAsyncIterator() -> Iterator {
        Iterator(node: node, sender: sender)
    }

    /// An iterator over the responses.
    public struct Iterator: AsyncIteratorProtocol {
        let node: RequestNode<Model>
        let sender: any CallSender
        private var responses: AsyncThrowingStream<Response<Model>, any Error>.Iterator?

        init(node: RequestNode<Model>, sender: any CallSender) {
            self.node = node
            self.sender = sender
        }

        /// Waits for the next response.
        ///
        /// - Parameter actor: The actor that waits.
        /// - Returns: The response; `nil` after the last one.
        /// - Throws: The error of the call; a stored response may have been delivered before.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws -> Response<Model>? {
            if responses == nil {
                responses = stream().makeAsyncIterator()
            }
            let response = try await responses?.next(isolation: actor)
            // A stream that ends because its task was cancelled looks complete.
            if response == nil {
                try Task.checkCancellation()
            }
            return response
        }

        private func stream() -> AsyncThrowingStream<Response<Model>, any Error> {
            AsyncThrowingStream { continuation in
                let (node, sender) = (node, sender)
                let task = Task {
                    do {
                        let last = try await sender.response(node) { model, details in
                            continuation.yield(Response(model: model, details: details))
                        }
                        continuation.yield(last)
                        continuation.finish()
                    } catch {
                        continuation.finish(throwing: error)
                    }
                }
                continuation.onTermination = { _ in task.cancel() }
            }
        }
    }
}
