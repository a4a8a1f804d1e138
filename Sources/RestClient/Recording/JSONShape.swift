// SPDX-License-Identifier: MIT

/// What a JSON value looks like, whatever it says: which members there are, and of which types.
///
/// The elements of a list have one shape together, and what is `null` somewhere may be of any type there.
struct JSONShape: Sendable, Hashable {
    /// The types that occur at each path, like `$.items[].id`.
    let types: [String: Set<String>]

    init(_ value: JSONValue) {
        var types: [String: Set<String>] = [:]
        Self.collect(value, at: "$", into: &types)
        self.types = types
    }

    /// What is different in another shape, in words and sorted by path; empty when nothing is.
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
                    // Where one side was always null nothing is known of its type.
                    let isOpen = mine == ["null"] || theirs == ["null"]
                    return isSame || isOpen ? nil : "\(path) is \(Self.words(theirs)), was \(Self.words(mine))"
                case (nil, nil):
                    return nil
                }
            }
    }

    /// Whether a shape has null, or an empty list, where the path begins: nothing is known of what is below it then.
    private func hasNull(above path: String, in shape: JSONShape) -> Bool {
        var path = path[...]
        while let end = path.lastIndex(where: { $0 == "." || $0 == "[" }) {
            path = path[..<end]
            guard let types = shape.types[String(path)] else {
                continue
            }
            let isEmptyList = types.contains("list") && shape.types["\(path)[]"] == nil
            return types.contains("null") || isEmptyList
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
        case .bool: note("truth value")
        case .int, .double: note("number")
        case .string: note("text")
        case .array(let elements):
            note("list")
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
