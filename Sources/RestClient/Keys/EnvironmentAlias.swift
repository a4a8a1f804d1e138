// SPDX-License-Identifier: MIT

/// The name under which a ``ClientEnvironment`` is registered.
///
/// Declare the names once and use them as implicit members:
///
/// ```swift
/// extension EnvironmentAlias { static let staging: EnvironmentAlias = "staging" }
///
/// try manager.environments.use(.staging)
/// ```
public struct EnvironmentAlias: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral,
    CustomStringConvertible
{
    /// The name as text; case matters.
    public let rawValue: String

    /// Creates a name from text.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Creates a name from a string literal.
    public init(stringLiteral value: String) {
        self.rawValue = value
    }

    /// The name as text.
    public var description: String { rawValue }
}
