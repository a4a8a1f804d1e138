// SPDX-License-Identifier: MIT

import Synchronization

/// Identifies a registered dummy in this process.
public struct DummyID: Hashable, Sendable, CustomStringConvertible {
    package let rawValue: UInt64

    private static let counter = Atomic<UInt64>(0)

    static func next() -> DummyID {
        DummyID(rawValue: counter.wrappingAdd(1, ordering: .relaxed).newValue)
    }

    /// The number with a prefix, as in `dummy-2`.
    public var description: String { "dummy-\(rawValue)" }
}
