// SPDX-License-Identifier: MIT

import Synchronization

/// Identifies a group in this process: the events of all its members carry the same value.
public struct GroupID: Hashable, Sendable, CustomStringConvertible {
    /// A number that grows with every group.
    public let rawValue: UInt64

    private static let counter = Atomic<UInt64>(0)

    /// Returns an identifier that was not used before.
    package static func next() -> GroupID {
        GroupID(rawValue: counter.wrappingAdd(1, ordering: .relaxed).newValue)
    }

    /// The number with a prefix, as in `group-3`.
    public var description: String { "group-\(rawValue)" }
}
