// SPDX-License-Identifier: MIT

/// What an observer of a shared value is told.
public struct SharedObservationOptions: OptionSet, Sendable {
    /// The bits.
    public let rawValue: Int

    /// Creates options from bits.
    ///
    /// - Parameter rawValue: The bits.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// First tells the present value, as a change without an old value.
    public static let initial = SharedObservationOptions(rawValue: 1)

    /// Passes over changes to an equal value; without effect for values that are not `Equatable`.
    public static let distinct = SharedObservationOptions(rawValue: 2)
}
