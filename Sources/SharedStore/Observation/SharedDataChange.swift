// SPDX-License-Identifier: MIT

/// A change of any shared value, without the value itself.
public struct SharedDataChange: Sendable, Hashable {
    /// What happened to a value.
    public enum Kind: Sendable, Hashable {
        /// It was set.
        case updated
        /// It was removed.
        case removed
    }

    /// The key's name.
    public let name: String

    /// What happened.
    public let kind: Kind

    /// Who did it.
    public let origin: SharedChangeOrigin
}
