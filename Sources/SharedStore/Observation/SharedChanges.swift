// SPDX-License-Identifier: MIT

/// The changes of one shared value, from the moment the sequence was made.
///
/// Iterate it once. When changes come faster than they are taken, those that wait are merged: the last one is never
/// lost, and its old value is the one the reader saw last.
public struct SharedChanges<Value: Codable & Sendable>: AsyncSequence, Sendable {
    /// A change of the value.
    public typealias Element = SharedChange<Value>

    /// How many changes may wait before they are merged.
    static var limit: Int { 256 }

    let channel: ChangeChannel<SharedChange<Value>>
    let token: ObservationToken

    /// Takes the changes one by one.
    public struct Iterator: AsyncIteratorProtocol {
        let channel: ChangeChannel<SharedChange<Value>>
        let token: ObservationToken

        /// Waits for the next change; `nil` when the task is cancelled or the store is gone.
        ///
        /// - Returns: The change.
        public mutating func next() async -> SharedChange<Value>? {
            await channel.next()
        }

        /// Waits for the next change; `nil` when the task is cancelled or the store is gone.
        ///
        /// - Parameter actor: The actor to come back to.
        /// - Returns: The change.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> SharedChange<Value>? {
            await channel.next()
        }
    }

    /// Returns the iterator.
    ///
    /// - Returns: An iterator on the one queue of this sequence.
    public func makeAsyncIterator() -> Iterator {
        Iterator(channel: channel, token: token)
    }
}
