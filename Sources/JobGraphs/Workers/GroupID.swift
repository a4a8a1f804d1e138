// SPDX-License-Identifier: MIT

import Synchronization

/// Identifies a group in this process: the events of all its members carry the same value.
public struct GroupID: Hashable, Sendable, CustomStringConvertible {
    /// A number that grows with every group.
    public let rawValue: UInt64

    private static let counter = Atomic<UInt64>(0)

    /// Creates an identifier that was not used before, for a group or a run that is about to begin.
    ///
    /// ```swift
    /// let id = GroupID()
    /// stopButton.action = { runtime.cancelGroup(id) }
    /// let report = await runtime.concurrently(copies, id: id)
    /// ```
    public init() {
        rawValue = Self.counter.wrappingAdd(1, ordering: .relaxed).newValue
    }

    /// The number with a prefix, as in `group-3`.
    public var description: String { "group-\(rawValue)" }
}
