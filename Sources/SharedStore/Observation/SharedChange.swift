// SPDX-License-Identifier: MIT

/// A change of one shared value.
public struct SharedChange<Value: Sendable>: Sendable {
    /// The previous value, as far as this observer knew it; `nil` for none.
    public let oldValue: Value?

    /// The new value; `nil` if it was removed, or if it could not be read.
    public let newValue: Value?

    /// The origin of the change.
    public let origin: SharedChangeOrigin

    /// The reason why the new value could not be read, for example because another process sealed it with another key.
    public let error: StoreError?
}
