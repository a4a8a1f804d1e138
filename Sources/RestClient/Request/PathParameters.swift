// SPDX-License-Identifier: MIT

/// The values of a path's placeholders.
///
/// A path has few of them, so a list takes less time than a dictionary to make and to search.
struct PathParameters: Sendable {
    /// The values, in the order in which their names were first set.
    private(set) var values: [(name: String, value: JSONValue)] = []

    var isEmpty: Bool { values.isEmpty }

    subscript(name: String) -> JSONValue? {
        values.first { $0.name == name }?.value
    }

    var byName: [String: JSONValue] {
        values.reduce(into: Dictionary(minimumCapacity: values.count)) { $0[$1.name] = $1.value }
    }

    /// Sets the value of a placeholder, in place of the former one.
    mutating func set(_ name: String, _ value: JSONValue) {
        if let index = values.firstIndex(where: { $0.name == name }) {
            values[index].value = value
        } else {
            values.append((name, value))
        }
    }

    mutating func set(_ values: [String: JSONValue]) {
        // The order of the elements differs between equal dictionaries.
        for (name, value) in values.sorted(by: { $0.key < $1.key }) {
            set(name, value)
        }
    }
}
