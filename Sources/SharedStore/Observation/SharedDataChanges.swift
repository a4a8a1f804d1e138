// SPDX-License-Identifier: MIT

/// The changes of all shared values, from the creation of the sequence on.
///
/// Iterate it once. If changes are made faster than they are read, those of one value are merged into its last one.
public struct SharedDataChanges: AsyncSequence, Sendable {
    /// A change of some value.
    public typealias Element = SharedDataChange

    /// The maximum number of unread changes, beyond which they are merged.
    static let limit = 1024

    let channel: ChangeChannel<SharedDataChange>
    let token: ObservationToken

    /// The iterator of the sequence.
    public struct Iterator: AsyncIteratorProtocol {
        let channel: ChangeChannel<SharedDataChange>
        let token: ObservationToken

        /// Returns the next change; `nil` if the task is cancelled or the store was closed.
        ///
        /// - Returns: The change.
        public mutating func next() async -> SharedDataChange? {
            await channel.next()
        }

        /// Returns the next change; `nil` if the task is cancelled or the store was closed.
        ///
        /// - Parameter actor: The actor to return to.
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
