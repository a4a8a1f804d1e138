// SPDX-License-Identifier: MIT
import DequeModule
import Synchronization

/// A queue between whoever changes values and one who awaits the changes.
///
/// It never loses the last change: when full, the newest two become one.
final class ChangeChannel<Element: Sendable>: Sendable {
    private struct Waiter {
        let number: Int
        let continuation: CheckedContinuation<Element?, Never>
    }

    private struct State {
        var buffer: Deque<Element> = []
        var waiters: Deque<Waiter> = []
        var nextNumber = 0
        var cancelled: Set<Int> = []
        var isFinished = false
    }

    private let limit: Int
    private let merge: @Sendable (inout Deque<Element>, Element) -> Void
    private let state = Mutex(State())

    /// Creates a channel.
    ///
    /// - Parameters:
    ///   - limit: How many changes may wait.
    ///   - merge: Takes one more change into a full buffer.
    init(limit: Int, merge: @escaping @Sendable (inout Deque<Element>, Element) -> Void) {
        self.limit = max(1, limit)
        self.merge = merge
    }

    func send(_ element: Element) {
        let waiter = state.withLock { state -> Waiter? in
            guard !state.isFinished else { return nil }
            if let waiter = state.waiters.popFirst() { return waiter }
            if state.buffer.count < limit {
                state.buffer.append(element)
            } else {
                merge(&state.buffer, element)
            }
            return nil
        }
        waiter?.continuation.resume(returning: element)
    }

    /// Ends the sequence once what waits was taken.
    func finish() {
        let waiters = state.withLock { state in
            state.isFinished = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.continuation.resume(returning: nil) }
    }

    /// Returns the next change; `nil` at the end and when the task is cancelled.
    func next() async -> Element? {
        let number = state.withLock { state in
            state.nextNumber += 1
            return state.nextNumber
        }
        // A cancellation that comes when nobody waits any more must not be remembered.
        defer { _ = state.withLock { $0.cancelled.remove(number) } }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let result = state.withLock { state -> Element?? in
                    // Cancelled before it came here.
                    if state.cancelled.remove(number) != nil { return .some(nil) }
                    if let element = state.buffer.popFirst() { return element }
                    if state.isFinished { return .some(nil) }
                    state.waiters.append(Waiter(number: number, continuation: continuation))
                    return nil
                }
                if let result { continuation.resume(returning: result) }
            }
        } onCancel: {
            let waiter = state.withLock { state -> Waiter? in
                guard let index = state.waiters.firstIndex(where: { $0.number == number }) else {
                    state.cancelled.insert(number)
                    return nil
                }
                return state.waiters.remove(at: index)
            }
            waiter?.continuation.resume(returning: nil)
        }
    }
}
