// SPDX-License-Identifier: MIT

/// An option in force for a call, and the levels that set it.
public struct CallOptionExplanation: Sendable, Hashable, CustomStringConvertible {
    /// The name of the option.
    public let name: String

    /// The levels that the value comes from, outermost first; one, unless the option adds up.
    public let levels: [CallOptions.Level]

    /// The value; `nil` when it may be a secret.
    public let value: String?

    /// The option in words, as in `timeout: 5.0 seconds (API)`.
    public var description: String {
        let origin = "(\(levels.map(\.description).joined(separator: ", ")))"
        return value.map { "\(name): \($0) \(origin)" } ?? "\(name) \(origin)"
    }
}
