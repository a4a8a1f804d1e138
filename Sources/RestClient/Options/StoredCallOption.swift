// SPDX-License-Identifier: MIT

/// The value of an option with the contributions of its levels.
///
/// It is a class so that merging levels copies references, whatever the values are.
final class StoredCallOption<Value: Sendable>: CallOptionValue {
    let value: Value
    let key: CallOptionKey<Value>
    /// The contributions of the levels, outermost first; empty if there is only one.
    let parts: [(level: CallOptions.Level, value: Value)]

    init(value: Value, key: CallOptionKey<Value>, parts: [(level: CallOptions.Level, value: Value)] = []) {
        self.value = value
        self.key = key
        self.parts = parts
    }

    var levels: [CallOptions.Level] { parts.map(\.level) }

    var needs: StageNeeds { key.needs }

    var isInternal: Bool { key.isInternal }

    var text: String? { key.describe?(value) }

    var distinction: (name: String, value: CallOptionDistinction)? {
        guard key.decidesResponse else {
            return nil
        }
        if let text {
            return (key.name, .words(text))
        }
        // An option of the user's. The call that sends the shared request keeps this object, so that no other one can
        // have its identity.
        let distinction: CallOptionDistinction =
            value is any Hashable ? .value(value) : .identity(ObjectIdentifier(self))
        return ("\(key.name): \(String(reflecting: Value.self))", distinction)
    }

    func isEqual(to other: any CallOptionValue) -> Bool {
        guard let comparison = key.comparison, let other = other as? StoredCallOption<Value> else {
            return false
        }
        return comparison.areEqual(value, other.value)
    }

    func hash(into hasher: inout Hasher) -> Bool {
        guard let comparison = key.comparison, comparison.areEqual(value, value) else {
            return false
        }
        comparison.hash(value, &hasher)
        return true
    }

    func joined(
        onto outer: any CallOptionValue,
        at level: CallOptions.Level,
        outer outerLevel: CallOptions.Level
    ) -> (any CallOptionValue)? {
        guard let join = key.join, let outer = outer as? StoredCallOption<Value> else {
            return nil
        }
        let before = outer.parts.isEmpty ? [(outerLevel, outer.value)] : outer.parts
        return StoredCallOption(value: join(outer.value, value), key: key, parts: before + [(level, value)])
    }
}
