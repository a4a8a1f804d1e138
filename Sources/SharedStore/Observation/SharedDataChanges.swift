// SPDX-License-Identifier: MIT

/// The changes of all shared values, from the moment the sequence was made.
///
/// Iterate it once. When changes come faster than they are taken, those of one value are merged into its last one.
public struct SharedDataChanges: AsyncSequence, Sendable {
    /// A change of some value.
    public typealias Element = SharedDataChange

    /// How many changes may wait before they are merged.
    static let limit = 1024

    let channel: ChangeChannel<SharedDataChange>
    let token: ObservationToken

    /// Takes the changes one by one.
    public struct Iterator: AsyncIteratorProtocol {
        let channel: ChangeChannel<SharedDataChange>
        let token: ObservationToken

        /// Waits for the next change; `nil` when the task is cancelled or the store is gone.
        ///
        /// - Returns: The change.
        public mutating func next() async -> SharedDataChange? {
            await channel.next()
        }

        /// Waits for the next change; `nil` when the task is cancelled or the store is gone.
        ///
        /// - Parameter actor: The actor to come back to.
        /// - Returns: The change.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> SharedDataChange? {
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
