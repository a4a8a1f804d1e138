// SPDX-License-Identifier: MIT

/// The changes of one shared value, from the creation of the sequence on.
///
/// Iterate it once. If changes are made faster than they are read, waiting ones are merged: the last one is never
/// lost, and its old value is the one that the reader saw last.
public struct SharedChanges<Value: Codable & Sendable>: AsyncSequence, Sendable {
    /// A change of the value.
    public typealias Element = SharedChange<Value>

    /// The maximum number of unread changes, beyond which they are merged.
    static var limit: Int { 256 }

    let channel: ChangeChannel<SharedChange<Value>>
    let token: ObservationToken

    /// The iterator of the sequence.
    public struct Iterator: AsyncIteratorProtocol {
        let channel: ChangeChannel<SharedChange<Value>>
        let token: ObservationToken

        /// Returns the next change; `nil` if the task is cancelled or the store was closed.
        ///
        /// - Returns: The change.
        public mutating func next() async -> SharedChange<Value>? {
            await channel.next()
        }

        /// Returns the next change; `nil` if the task is cancelled or the store was closed.
        ///
        /// - Parameter actor: The actor to return to.
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
