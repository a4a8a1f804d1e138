// SPDX-License-Identifier: MIT

/// A change of any shared value, without the value itself.
public struct SharedDataChange: Sendable, Hashable {
    /// The kind of a change.
    public enum Kind: Sendable, Hashable {
        /// The value was set.
        case updated
        /// The value was removed.
        case removed
    }

    /// The key's name.
    public let name: String

    /// The kind of the change.
    public let kind: Kind

    /// The origin of the change.
    public let origin: SharedChangeOrigin
}
