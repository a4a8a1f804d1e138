// SPDX-License-Identifier: MIT

/// The steps of one call: its progress, and then its response.
struct CallSteps<Model: Sendable>: AsyncSequence, Sendable {
    typealias Element = CallStep<Model>
    typealias Failure = any Error

    let node: RequestNode<Model>

    func makeAsyncIterator() -> Iterator {
        Iterator(node: node)
    }

    struct Iterator: AsyncIteratorProtocol {
        let node: RequestNode<Model>
        private var steps: AsyncThrowingStream<CallStep<Model>, any Error>.Iterator?

        init(node: RequestNode<Model>) {
            self.node = node
        }

        mutating func next(isolation actor: isolated (any Actor)? = #isolation) async throws -> CallStep<Model>? {
            if steps == nil {
                steps = stream().makeAsyncIterator()
            }
            let step = try await steps?.next(isolation: actor)
            // A stream that its task's cancellation has ended looks complete.
            if step == nil {
                try Task.checkCancellation()
            }
            return step
        }

        private func stream() -> AsyncThrowingStream<CallStep<Model>, any Error> {
            // The response is the last value, so that it is the one which stays for a slow consumer.
            AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
                let node = node.onProgress { continuation.yield(.progress($0)) }
                let task = Task {
                    do {
                        continuation.yield(.response(try await node.sender.response(node)))
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
