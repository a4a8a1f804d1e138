// SPDX-License-Identifier: MIT

/// Tells equal values of an option, so that what follows from them can be remembered.
///
/// Texts have none: Swift takes texts of different bytes for equal.
struct CallOptionComparison<Value: Sendable>: Sendable {
    /// Returns true if the values are equal in all respects; a value that is not equal to itself is never remembered.
    let areEqual: @Sendable (Value, Value) -> Bool
    let hash: @Sendable (Value, inout Hasher) -> Void
}

extension CallOptionComparison where Value: Hashable {
    /// Compares values as their type does.
    static var byValue: Self {
        Self(areEqual: { $0 == $1 }, hash: { $0.hash(into: &$1) })
    }
}
