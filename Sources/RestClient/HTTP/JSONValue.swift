// SPDX-License-Identifier: MIT

import JSONCoding
import RestEssentials

/// A JSON value (RFC 8259), for parameters, untyped models and event payloads.
///
/// Literals convert implicitly, so a mixed dictionary needs no type annotations:
///
/// ```swift
/// node.values(["name": "Kim", "age": 41, "tags": ["a", "b"]])
/// ```
public enum JSONValue: Sendable, Hashable {
    /// The JSON `null`.
    case null
    /// The JSON `true` or `false`.
    case bool(Bool)
    /// A number without a fraction that fits 64 bits.
    case int(Int64)
    /// Any other number of which it holds all digits.
    case double(Double)
    /// A number of more digits or of another size, as `UInt64` and `Decimal` have.
    case number(Number)
    /// A text.
    case string(String)
    /// A list of values.
    case array([JSONValue])
    /// Named values.
    case object([String: JSONValue])
}

extension JSONValue {
    /// The text; `nil` if the value is not a text.
    public var stringValue: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The number as an integer; `nil` if the value is not a number without a fraction.
    public var intValue: Int? {
        switch self {
        case .int(let value): Int(exactly: value)
        case .double(let value): Int(exactly: value)
        case .number(let number): Int(number.description)
        default: nil
        }
    }

    /// The nearest number; `nil` if the value is not a number.
    public var doubleValue: Double? {
        switch self {
        case .int(let value): Double(value)
        case .double(let value): value
        case .number(let number): Double(number.description)
        default: nil
        }
    }

    /// The Boolean; `nil` if the value is not one.
    public var boolValue: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The member with a name; `nil` if the value is not an object or lacks the member.
    public subscript(name: String) -> JSONValue? {
        if case .object(let members) = self { members[name] } else { nil }
    }

    /// The element at a position; `nil` if the value is not an array or the position is out of range.
    public subscript(index: Int) -> JSONValue? {
        if case .array(let elements) = self, elements.indices.contains(index) { elements[index] } else { nil }
    }

    /// The value as it appears in a path or query: text as it is, numbers as in JSON; `nil` for null, arrays and
    /// objects.
    package var scalarText: String? {
        switch self {
        case .bool(let value): value ? "true" : "false"
        case .int(let value): String(value)
        case .double(let value): Self.text(of: value)
        case .number(let number): number.description
        case .string(let value): value
        case .null, .array, .object: nil
        }
    }
}

extension JSONValue: CustomStringConvertible {
    /// The value as JSON on one line, with members in the order of their names.
    public var description: String { MessageText.of(JSONText.of(self), limit: .max) }
}

// MARK: - Literals

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringInterpolation, ExpressibleByArrayLiteral,
    ExpressibleByDictionaryLiteral
{
    /// Creates `null`.
    public init(nilLiteral: ()) {
        self = .null
    }

    /// Creates a Boolean.
    public init(booleanLiteral value: Bool) {
        self = .bool(value)
    }

    /// Creates an integer.
    public init(integerLiteral value: Int64) {
        self = .int(value)
    }

    /// Creates a number.
    public init(floatLiteral value: Double) {
        self = .double(value)
    }

    /// Creates a text.
    public init(stringLiteral value: String) {
        self = .string(value)
    }

    /// Creates a list.
    public init(arrayLiteral elements: JSONValue...) {
        self = .array(elements)
    }

    /// Creates an object; if a name occurs twice, the last value wins.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements) { _, last in last })
    }
}

// MARK: - Codable

extension JSONValue: Codable {
    /// Decodes any JSON value.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        switch JSONKind(of: decoder) {
        case .null: self = .null
        case .bool: self = .bool(try container.decode(Bool.self))
        case .number:
            let keepsText = Self.keepsTexts.map { decoder.userInfo[$0] != nil } ?? false
            let number = JSONNumber(of: decoder).map { JSONValue(number: $0.text, keepsText: keepsText) }
            self = try number ?? Self.guessed(in: container)
        case .string: self = .string(try container.decode(String.self))
        case .array: self = .array(try container.decode([JSONValue].self))
        case .object: self = .object(try container.decode([String: JSONValue].self))
        case nil: self = try Self.guessed(in: container)
        }
    }

    private static func guessed(in container: any SingleValueDecodingContainer) throws -> JSONValue {
        if container.decodeNil() {
            return .null
        } else if let value = try? container.decode(Bool.self) {
            return .bool(value)
        }
        // The error that says what is wrong with the text; others say that it is of another type.
        var reason: (any Error)?
        func attempt(_ decode: () throws -> JSONValue) -> JSONValue? {
            do {
                return try decode()
            } catch {
                reason = reason ?? (isOfAnotherType(error, than: container) ? nil : error)
                return nil
            }
        }
        if let value = attempt({ try number(in: container) })
            ?? attempt({ .string(try container.decode(String.self)) })
            ?? attempt({ .array(try container.decode([JSONValue].self)) })
        {
            return value
        }
        do {
            return .object(try container.decode([String: JSONValue].self))
        } catch {
            throw reason ?? error
        }
    }

    private static func number(in container: any SingleValueDecodingContainer) throws -> JSONValue {
        let whole = try? container.decode(Int64.self)
        if let whole, whole != 0 {
            return .int(whole)
        }
        let double = try container.decode(Double.self)
        if whole == 0 {
            return double.sign == .minus ? .double(double) : .int(0)
        }
        // It holds more digits than a `Double`, though not all.
        if let decimal = try? container.decode(Decimal.self), decimal.isFinite {
            return JSONValue(number: decimal.description)
        }
        return .double(double)
    }

    private static func isOfAnotherType(
        _ error: any Error,
        than container: any SingleValueDecodingContainer
    ) -> Bool {
        switch error as? DecodingError {
        case .typeMismatch(_, let context)?, .valueNotFound(_, let context)?:
            context.codingPath.count <= container.codingPath.count
        default:
            false
        }
    }

    /// Encodes the value as JSON.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .int(let value): try container.encode(value)
        case .double(let value): try container.encode(value)
        case .number(let number): try container.encode(JSONNumber(number.description))
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }
}
