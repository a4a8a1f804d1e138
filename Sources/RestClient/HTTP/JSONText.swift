// SPDX-License-Identifier: MIT

import JSONCoding
package import RestEssentials

/// JSON values as text, with all digits of their numbers.
package enum JSONText {
    /// Returns the value of a JSON text from an untrusted source.
    package static func value(of text: Data) throws -> JSONValue {
        try MarkRun.checkKeys(ofJSON: text)
        return try decode(text, JSONDecoder())
    }

    /// Returns the value of a JSON text whose numbers are to be written again as they are.
    static func valueAsWritten(_ text: Data) throws -> JSONValue {
        let decoder = JSONDecoder()
        if let key = JSONValue.keepsTexts {
            decoder.userInfo[key] = true
        }
        return try decode(text, decoder)
    }

    /// Returns the JSON text of a value, with members in the order of their names.
    package static func data(of value: JSONValue) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try DirectJSONEncoder(standingInFor: encoder)?.encode(value) ?? encoder.encode(value)
    }

    /// Returns a value on one line, with members in the order of their names, for messages.
    package static func of(_ value: JSONValue) -> String {
        (try? data(of: value)).map { String(decoding: $0, as: UTF8.self) } ?? unencodable(value)
    }

    /// Writes a value with a number that JSON does not have, or one that is nested too deeply for JSON.
    private static func unencodable(_ value: JSONValue, depth: Int = 0) -> String {
        func inner(_ value: JSONValue) -> String { unencodable(value, depth: depth + 1) }
        switch value {
        case .array where depth > 100, .object where depth > 100: return "…"
        case .array(let elements): return "[\(elements.map(inner).joined(separator: ","))]"
        case .object(let members):
            let texts = members.sorted { $0.key < $1.key }.map { "\(of(.string($0.key))):\(inner($0.value))" }
            return "{\(texts.joined(separator: ","))}"
        case .string(let text):
            return (try? data(of: value)).map { String(decoding: $0, as: UTF8.self) } ?? "\"\(text)\""
        case .null, .bool, .int, .double, .number: return value.scalarText ?? "null"
        }
    }

    /// Returns true for a body without a character that is not white space, such as one of a byte order mark alone.
    static func isBlank(_ body: Data) -> Bool {
        let text = body.starts(with: [0xEF, 0xBB, 0xBF]) ? body.dropFirst(3) : body
        return text.allSatisfy { $0 == 0x20 || (0x09...0x0D).contains($0) }
    }

    private static func decode(_ text: Data, _ decoder: JSONDecoder) throws -> JSONValue {
        try DirectJSONDecoder(standingInFor: decoder)?.decode(JSONValue.self, from: text)
            ?? decoder.decode(JSONValue.self, from: text)
    }
}
