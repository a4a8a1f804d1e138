// SPDX-License-Identifier: MIT

/// Options for observers of a shared value.
public struct SharedObservationOptions: OptionSet, Sendable {
    /// The bits.
    public let rawValue: Int

    /// Creates options from bits.
    ///
    /// - Parameter rawValue: The bits.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Begins with the present value, as a change without an old value.
    public static let initial = SharedObservationOptions(rawValue: 1)

    /// Skips changes to an equal value.
    ///
    /// Has no effect on values that are not `Equatable`.
    public static let distinct = SharedObservationOptions(rawValue: 2)
}
