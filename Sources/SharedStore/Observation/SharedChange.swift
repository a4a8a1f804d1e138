// SPDX-License-Identifier: MIT

/// A change of one shared value.
public struct SharedChange<Value: Sendable>: Sendable {
    /// The value before, as far as this observer knew it; `nil` for none.
    public let oldValue: Value?

    /// The value after; `nil` when it was removed, or when it could not be read.
    public let newValue: Value?

    /// Who made the change.
    public let origin: SharedChangeOrigin

    /// Why the new value could not be read, for example because another process sealed it with another key.
    public let error: StoreError?
}

extension SharedChange: Equatable where Value: Equatable {
    /// Whether two changes tell of the same values, origin and error code.
    public static func == (left: SharedChange, right: SharedChange) -> Bool {
        left.oldValue == right.oldValue && left.newValue == right.newValue && left.origin == right.origin
            && left.error?.code == right.error?.code
    }
}
