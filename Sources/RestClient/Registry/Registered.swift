// SPDX-License-Identifier: MIT

/// A value of a registry, stored by reference, so that a lookup for each request does not copy all its parts.
final class Registered<Value: Sendable>: Sendable {
    let value: Value

    init(_ value: Value) {
        self.value = value
    }
}
