// SPDX-License-Identifier: MIT

/// The responses of one call in the order of their arrival; each iteration is a separate call.
struct ResponseSequence<Model: Sendable>: AsyncSequence, Sendable {
    let node: RequestNode<Model>
    let sender: any CallSender

    func makeAsyncIterator() -> Iterator {
        Iterator(node: node, sender: sender)
    }

    struct Iterator: AsyncIteratorProtocol {
        let node: RequestNode<Model>
        let sender: any CallSender
        private var responses: AsyncThrowingStream<Response<Model>, any Error>.Iterator?

        init(node: RequestNode<Model>, sender: any CallSender) {
            self.node = node
            self.sender = sender
        }

        mutating func next(isolation actor: isolated (any Actor)? = #isolation) async throws -> Response<Model>? {
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
