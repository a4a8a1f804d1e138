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
public struct EnvironmentAlias: TextAlias {
    /// The name as text; case matters.
    public let rawValue: String

    /// Creates a name from text.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }
}
