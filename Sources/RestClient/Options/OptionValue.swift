// SPDX-License-Identifier: MIT

/// The type-erased value of an option.
protocol OptionValue: AnyObject, Sendable {
    /// The stages that a call with the option passes, which others do without.
    var needs: StageNeeds { get }

    /// The levels that contribute to the value, outermost first; empty if only one does.
    var levels: [CallOptions.Level] { get }

    /// A Boolean value that is true if explanations do not list the option.
    var isInternal: Bool { get }

    /// The value in words; `nil` when it may be a secret.
    var text: String? { get }

    /// The name of the option, unique among all types, and its value, if only calls with equal values may share a
    /// request; `nil` otherwise.
    var distinction: (name: String, value: CallOptions.Distinction)? { get }

    /// Returns true if another value is equal in all respects; false also if the values cannot be compared.
    func isEqual(to other: any OptionValue) -> Bool

    /// Feeds the value to a hasher; returns false if it cannot be compared.
    func hash(into hasher: inout Hasher) -> Bool

    /// Returns the value joined with that of an outer level; `nil` when it replaces the outer one.
    func joined(
        onto outer: any OptionValue,
        at level: CallOptions.Level,
        outer outerLevel: CallOptions.Level
    ) -> (any OptionValue)?
}
