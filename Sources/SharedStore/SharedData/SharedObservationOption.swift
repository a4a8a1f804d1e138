// SPDX-License-Identifier: MIT

/// An option for observers of a shared value.
public enum SharedObservationOption: Sendable {
    /// Begins with the current value, as a change without an old value.
    case initial

    /// Skips changes to an equal value. It has no effect on values that are not `Equatable`.
    case distinct
}
