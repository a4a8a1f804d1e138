// SPDX-License-Identifier: MIT

/// The server-sent events of a call with the models in their data.
struct EventValues<Value: Decodable & Sendable>: AsyncSequence, Sendable {
    typealias Pair = (event: ServerSentEvent, value: Value)
    typealias Element = Pair
    typealias Failure = any Error

    let events: EventStream
    /// Returns true for the events that are decoded; the others are skipped.
    let isIncluded: @Sendable (ServerSentEvent) -> Bool

    func makeAsyncIterator() -> Iterator {
        Iterator(events: events.makeAsyncIterator(), isIncluded: isIncluded)
    }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate var events: EventStream.Iterator
        fileprivate let isIncluded: @Sendable (ServerSentEvent) -> Bool

        mutating func next(isolation actor: isolated (any Actor)?) async throws -> Pair? {
            while let event = try await events.next(isolation: actor) {
                guard isIncluded(event) else {
                    continue
                }
                do {
                    return (event, try event.decode())
                } catch {
                    throw await events.failure(error).error
                }
            }
            return nil
        }

        mutating func next() async throws -> Pair? {
            try await next(isolation: #isolation)
        }
    }
}
