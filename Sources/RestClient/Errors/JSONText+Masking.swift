// SPDX-License-Identifier: MIT

import RestEssentials

extension JSONText {
    /// Returns a value on one line, truncated if it is long, with the values of secret-looking members masked.
    package static func brief(_ value: JSONValue) -> String {
        let text = of(masked(value))
        return MessageText.of(text, limit: text.unicodeScalars.count > 80 ? 79 : 80)
    }

    static func masked(_ value: JSONValue, depth: Int = 0) -> JSONValue {
        switch value {
        case .object(let members):
            var shown: [String: JSONValue] = [:]
            for (name, member) in members {
                shown[name] = Credentials.isSecret(name) ? .string(Redaction.mask) : masked(member, depth: depth)
            }
            return .object(shown)
        case .array(let elements): return .array(elements.map { masked($0, depth: depth) })
        case .string(let text): return .string(Redaction.text(text, depth: depth + 1))
        default: return value
        }
    }
}
