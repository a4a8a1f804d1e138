// SPDX-License-Identifier: MIT

import Synchronization

/// Tells the groups of this process apart; the events of all members of one group carry the same value.
public struct GroupID: Hashable, Sendable, CustomStringConvertible {
    /// A number that grows with every group.
    public let rawValue: UInt64

    private static let counter = Atomic<UInt64>(0)

    /// The next value that nobody has yet.
    static func next() -> GroupID {
        GroupID(rawValue: counter.wrappingAdd(1, ordering: .relaxed).newValue)
    }

    /// The number with a mark in front, as in `group-3`.
    public var description: String { "group-\(rawValue)" }
}
