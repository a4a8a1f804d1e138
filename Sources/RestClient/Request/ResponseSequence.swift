// SPDX-License-Identifier: MIT

/// The responses of one call in the order of their arrival: one, or with ``CachePolicy/thenNetwork`` a stored one
/// first.
///
/// Nothing happens until it is iterated; each iteration is a call of its own. Ending the iteration early, or cancelling
/// its task, cancels the call.
public struct ResponseSequence<Model: Sendable>: AsyncSequence, Sendable {
    /// A response.
    public typealias Element = Response<Model>

    let node: RequestNode<Model>
    let manager: RestClientManager

    /// Begins an iteration; the call starts when the first response is asked for.
    public func makeAsyncIterator() -> Iterator {
        Iterator(node: node, manager: manager)
    }

    /// Waits for one response after the other.
    public struct Iterator: AsyncIteratorProtocol {
        let node: RequestNode<Model>
        let manager: RestClientManager
        private var answers: AsyncThrowingStream<Response<Model>, any Error>.Iterator?

        init(node: RequestNode<Model>, manager: RestClientManager) {
            self.node = node
            self.manager = manager
        }

        /// Waits for the next response.
        ///
        /// - Parameter actor: The actor that waits.
        /// - Returns: The response; `nil` after the last one.
        /// - Throws: What the call throws; a stored response may have come before.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws -> Response<Model>? {
            if answers == nil {
                answers = stream().makeAsyncIterator()
            }
            let answer = try await answers?.next(isolation: actor)
            // A stream that its task's cancellation has ended looks complete.
            if answer == nil {
                try Task.checkCancellation()
            }
            return answer
        }

        private func stream() -> AsyncThrowingStream<Response<Model>, any Error> {
            AsyncThrowingStream { continuation in
                let (node, runner) = (node, manager.runner)
                let task = Task {
                    do {
                        let (model, answer) = try await runner.run(node) { model, answer in
                            continuation.yield(Response(model: model, answer: answer))
                        }
                        continuation.yield(Response(model: model, answer: answer))
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
