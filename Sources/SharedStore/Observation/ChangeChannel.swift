// SPDX-License-Identifier: MIT

import DequeModule
import RestEssentials
import Synchronization

/// A queue between the code that makes changes and a task that awaits them.
///
/// The last change is never lost: a full queue merges the newest two into one.
final class ChangeChannel<Element: Sendable>: Sendable {
    private typealias ReaderID = Int

    private struct State {
        var buffer: Deque<Element> = []
        /// The readers in the order of their arrival, including those that were cancelled meanwhile.
        var readers: Deque<ReaderID> = []
        var waiters = Waiters<ReaderID, Element?>()
        var lastReader: ReaderID = 0
        var isFinished = false

        mutating func hand(_ element: Element) -> Waiters<ReaderID, Element?>.Wakeup? {
            while let reader = readers.popFirst() {
                if let wakeup = waiters.withdraw(reader, with: element) {
                    return wakeup
                }
            }
            return nil
        }
    }

    private let limit: Int
    private let merge: @Sendable (inout Deque<Element>, Element) -> Void
    private let state = Mutex(State())

    /// Creates a channel that queues up to `limit` changes; `merge` adds one to a full queue.
    init(limit: Int, merge: @escaping @Sendable (inout Deque<Element>, Element) -> Void) {
        self.limit = max(1, limit)
        self.merge = merge
    }

    func send(_ element: Element) {
        let wakeup = state.withLock { state -> Waiters<ReaderID, Element?>.Wakeup? in
            guard !state.isFinished else {
                return nil
            }
            if let wakeup = state.hand(element) {
                return wakeup
            }
            if state.buffer.count < limit {
                state.buffer.append(element)
            } else {
                merge(&state.buffer, element)
            }
            return nil
        }
        wakeup?.resume()
    }

    /// Ends the channel; queued changes can still be read.
    func finish() {
        let wakeups = state.withLock { state in
            state.isFinished = true
            return state.waiters.withdrawAll(with: nil)
        }
        for wakeup in wakeups {
            wakeup.resume()
        }
    }

    /// Returns the next change; `nil` at the end and when the task is cancelled.
    func next() async -> Element? {
        let reader = state.withLock { state in
            state.lastReader += 1
            return state.lastReader
        }
        return await Waiters<ReaderID, Element?>
            .wait { continuation in
                state.withLock { state -> Element?? in
                    // A cancelled reader takes no element.
                    let isCancelled = Task.isCancelled
                    if !isCancelled, let element = state.buffer.popFirst() {
                        return .some(element)
                    }
                    guard !isCancelled, !state.isFinished else {
                        return .some(nil)
                    }
                    state.readers.append(reader)
                    return state.waiters.park(reader, continuation)
                }
            } onCancel: {
                state.withLock { $0.waiters.withdraw(reader, with: nil) }
            }
    }
}

/// The changes that a channel receives, until the sequence and its iterator are released.
struct ChangeSequence<Element: Sendable>: AsyncSequence, Sendable {
    struct Iterator: AsyncIteratorProtocol {
        let channel: ChangeChannel<Element>
        let token: ObservationToken

        mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
            await channel.next()
        }
    }

    let channel: ChangeChannel<Element>
    let token: ObservationToken

    func makeAsyncIterator() -> Iterator {
        Iterator(channel: channel, token: token)
    }
}
