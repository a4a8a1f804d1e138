// SPDX-License-Identifier: MIT

extension CallOptionKey {
    /// Compares values of an option, so that results that depend on them can be memoized.
    ///
    /// Texts have no comparison, because Swift considers some texts with different bytes equal.
    struct Comparison: Sendable {
        /// Returns true if the values are equal in all respects; a value that is not equal to itself is never memoized.
        let areEqual: @Sendable (Value, Value) -> Bool
        let hash: @Sendable (Value, inout Hasher) -> Void
    }
}

extension CallOptionKey.Comparison where Value: Hashable {
    /// Compares values by their `==` operator.
    static var byValue: Self {
        Self(areEqual: { $0 == $1 }, hash: { $0.hash(into: &$1) })
    }
}
