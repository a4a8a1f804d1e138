// SPDX-License-Identifier: MIT

import RestEssentials

/// JSON values as text for messages.
enum JSONText {
    /// The value on one line, its members in the order of their names.
    static func of(_ value: JSONValue) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Only numbers that JSON does not know cannot be encoded.
        return (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "\(value)"
    }

    /// The value on one line, cut off when it is long, with the values of secret-looking members masked.
    static func brief(_ value: JSONValue) -> String {
        let text = of(masked(value))
        return text.count > 80 ? text.prefix(79) + "…" : text
    }

    /// The value with the values of secret-looking members masked.
    static func masked(_ value: JSONValue) -> JSONValue {
        switch value {
        case .object(let members):
            var shown: [String: JSONValue] = [:]
            for (name, member) in members {
                shown[name] = Redaction.isSecret(name) ? .string(Redaction.mask) : masked(member)
            }
            return .object(shown)
        case .array(let elements): return .array(elements.map(masked))
        default: return value
        }
    }
}
