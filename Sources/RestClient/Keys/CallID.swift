// SPDX-License-Identifier: MIT

import Synchronization

/// Identifies a call in this process: its events, its response and its error carry the same value.
public struct CallID: Hashable, Sendable, Comparable, CustomStringConvertible {
    package let rawValue: UInt64

    private static let counter = Atomic<UInt64>(0)

    static func next() -> CallID {
        CallID(rawValue: counter.wrappingAdd(1, ordering: .relaxed).newValue)
    }

    /// True if the left call began before the right one.
    public static func < (left: CallID, right: CallID) -> Bool {
        left.rawValue < right.rawValue
    }

    /// The number with a prefix, as in `call-17`.
    public var description: String { "call-\(rawValue)" }
}
