// SPDX-License-Identifier: MIT

/// The type-erased value of an option.
protocol CallOptionValue: AnyObject, Sendable {
    var needs: StageNeeds { get }

    /// The levels that contribute to the value, outermost first; empty if only one does.
    var levels: [CallOptions.Level] { get }

    var isInternal: Bool { get }

    var text: String? { get }

    /// The name of the option, unique among all types, and its value, if only calls with equal values may share a
    /// request; `nil` otherwise.
    var distinction: (name: String, value: CallOptionDistinction)? { get }

    /// Returns true if another value is equal in all respects; false also if the values cannot be compared.
    func isEqual(to other: any CallOptionValue) -> Bool

    /// Feeds the value to a hasher; returns false if it cannot be compared.
    func hash(into hasher: inout Hasher) -> Bool

    /// Returns the value joined with that of an outer level; `nil` when it replaces the outer one.
    func joined(
        onto outer: any CallOptionValue,
        at level: CallOptions.Level,
        outer outerLevel: CallOptions.Level
    ) -> (any CallOptionValue)?
}
