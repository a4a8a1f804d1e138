// SPDX-License-Identifier: MIT

extension JSONText {
    /// Returns a value on one line, truncated if it is long, with the values of secret-looking members masked.
    package static func brief(_ value: JSONValue) -> String {
        let text = of(masked(value))
        return text.count > 80 ? text.prefix(79) + "…" : text
    }

    /// Returns a value with the values of secret-looking members masked.
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
