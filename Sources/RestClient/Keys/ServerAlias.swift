// SPDX-License-Identifier: MIT

/// The alias of a server: requests use it instead of an address, which can be changed.
///
/// Declare the aliases once and use them as implicit members:
///
/// ```swift
/// extension ServerAlias { static let store: ServerAlias = "store" }
///
/// manager.servers[.store] = "https://api.example.com/v1"
/// ```
public struct ServerAlias: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The alias as text; case matters.
    public let rawValue: String

    /// Creates an alias from text.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Creates an alias from a string literal.
    public init(stringLiteral value: String) {
        self.rawValue = value
    }

    /// The alias as text.
    public var description: String { rawValue }
}
