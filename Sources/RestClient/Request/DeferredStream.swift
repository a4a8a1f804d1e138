// SPDX-License-Identifier: MIT

/// The values of one call in the order of their arrival; each iteration is a separate call, which begins when its first
/// value is asked for, and is cancelled with the iteration.
struct DeferredStream<Element: Sendable>: AsyncSequence, Sendable {
    typealias Failure = any Error
    typealias Stream = AsyncThrowingStream<Element, any Error>

    var buffering = Stream.Continuation.BufferingPolicy.unbounded
    /// Runs the call, and yields its values.
    let run: @Sendable (Stream.Continuation) async throws -> Void

    func makeAsyncIterator() -> Iterator {
        Iterator(sequence: self)
    }

    struct Iterator: AsyncIteratorProtocol {
        let sequence: DeferredStream
        var values: Stream.Iterator?

        mutating func next(isolation actor: isolated (any Actor)? = #isolation) async throws -> Element? {
            if values == nil {
                values = sequence.stream().makeAsyncIterator()
            }
            let value = try await values?.next(isolation: actor)
            // A stream that ends because its task was cancelled looks complete.
            if value == nil {
                try Task.checkCancellation()
            }
            return value
        }
    }

    private func stream() -> Stream {
        Stream(bufferingPolicy: buffering) { continuation in
            let task = Task {
                do {
                    try await run(continuation)
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }
}
