// SPDX-License-Identifier: MIT

extension FixedWidthInteger {
    /// Returns the sum, or the closest number that the type has.
    package func addingClamped(_ other: Self) -> Self {
        let (sum, overflows) = addingReportingOverflow(other)
        return overflows ? (other > 0 ? .max : .min) : sum
    }
}
