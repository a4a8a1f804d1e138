// SPDX-License-Identifier: MIT

/// The responses of one call in the order of their arrival: one, or with ``CachePolicy/thenNetwork`` a stored one
/// first.
///
/// Nothing happens until it is iterated; each iteration is a call of its own. Ending the iteration early, or cancelling
/// its task, cancels the call.
public struct ResponseSequence<Model: Sendable>: AsyncSequence, Sendable {
    let node: RequestNode<Model>
    let sender: any CallSender

    /// Begins an iteration; the call starts when the first response is asked for.
    public func makeAsyncIterator() -> Iterator {
        Iterator(node: node, sender: sender)
    }

    /// Waits for one response after the other.
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
        /// - Throws: What the call throws; a stored response may have come before.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws -> Response<Model>? {
            if responses == nil {
                responses = stream().makeAsyncIterator()
            }
            let response = try await responses?.next(isolation: actor)
            // A stream that its task's cancellation has ended looks complete.
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
