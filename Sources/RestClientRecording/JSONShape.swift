// SPDX-License-Identifier: MIT

import RestClient

/// The shape of a JSON value: its members and their types, without the values.
///
/// The elements of an array share one shape. A member that is `null` somewhere may be of any type there.
struct JSONShape: Sendable, Hashable {
    /// The types that occur at each path, like `$.items[].id`.
    let types: [String: Set<String>]

    init(_ value: JSONValue) {
        var types: [String: Set<String>] = [:]
        Self.collect(value, at: "$", into: &types)
        self.types = types
    }

    func differences(to other: JSONShape) -> [String] {
        Set(types.keys).union(other.types.keys).sorted()
            .compactMap { path in
                switch (types[path], other.types[path]) {
                case (let mine?, nil):
                    return hasNull(above: path, in: other) ? nil : "\(path) is missing, was \(Self.words(mine))"
                case (nil, let theirs?):
                    return hasNull(above: path, in: self) ? nil : "\(path) is new, \(Self.words(theirs))"
                case (let mine?, let theirs?):
                    let isSame = mine.subtracting(["null"]) == theirs.subtracting(["null"])
                    // If one side was always null, its type is unknown.
                    let isOpen = mine == ["null"] || theirs == ["null"]
                    return isSame || isOpen ? nil : "\(path) is \(Self.words(theirs)), was \(Self.words(mine))"
                case (nil, nil):
                    return nil
                }
            }
    }

    /// Returns true if the parent of a path is null or an empty array in a shape, so that its members are unknown.
    private func hasNull(above path: String, in shape: JSONShape) -> Bool {
        var path = path[...]
        while let end = path.lastIndex(where: { $0 == "." || $0 == "[" }) {
            path = path[..<end]
            guard let types = shape.types[String(path)] else {
                continue
            }
            let isEmptyArray = types.contains("array") && shape.types["\(path)[]"] == nil
            return types.contains("null") || isEmptyArray
        }
        return false
    }

    private static func words(_ types: Set<String>) -> String {
        types.sorted().joined(separator: " or ")
    }

    private static func collect(_ value: JSONValue, at path: String, into types: inout [String: Set<String>]) {
        func note(_ type: String) {
            types[path, default: []].insert(type)
        }
        switch value {
        case .null: note("null")
        case .bool: note("boolean")
        case .int, .double, .number: note("number")
        case .string: note("string")
        case .array(let elements):
            note("array")
            for element in elements {
                collect(element, at: "\(path)[]", into: &types)
            }
        case .object(let members):
            note("object")
            for (name, member) in members {
                collect(member, at: "\(path).\(name)", into: &types)
            }
        }
    }
}
