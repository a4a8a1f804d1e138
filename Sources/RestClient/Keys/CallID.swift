// SPDX-License-Identifier: MIT

import Synchronization

/// Tells the calls of this process apart; events, responses and errors of one call carry the same value.
public struct CallID: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// A number that grows with every call.
    public let rawValue: UInt64

    private static let counter = Atomic<UInt64>(0)

    /// The next value that nobody has yet.
    static func next() -> CallID {
        CallID(rawValue: counter.wrappingAdd(1, ordering: .relaxed).newValue)
    }

    /// Whether a call began before another.
    public static func < (left: CallID, right: CallID) -> Bool {
        left.rawValue < right.rawValue
    }

    /// The number with a mark in front, as in `call-17`.
    public var description: String { "call-\(rawValue)" }
}
