// SPDX-License-Identifier: MIT

/// The identifier of a registered dummy, unique within the process.
public struct DummyID: Hashable, Sendable, CustomStringConvertible {
    /// A number that grows with each registration.
    public let rawValue: UInt64

    /// The number with a prefix, as in `dummy-2`.
    public var description: String { "dummy-\(rawValue)" }
}
