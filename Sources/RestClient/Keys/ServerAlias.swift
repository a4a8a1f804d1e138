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
public struct ServerAlias: TextAlias {
    /// The alias as text; case matters.
    public let rawValue: String

    /// Creates an alias from text.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }
}
