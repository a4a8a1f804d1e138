// SPDX-License-Identifier: MIT

public import RestEssentials

/// A type whose values can be used in a path, a query or a parameter dictionary.
///
/// Strings, Booleans, numbers, dates, UUIDs, URLs, and their optionals, arrays and dictionaries conform already. Your
/// own types need one line; enumerations with raw values only declare the conformance:
///
/// ```swift
/// enum Sort: String, JSONValueConvertible { case name, date }
/// extension OrderID: JSONValueConvertible { var jsonValue: JSONValue { .string(rawValue) } }
/// ```
public protocol JSONValueConvertible {
    /// The value as JSON.
    var jsonValue: JSONValue { get }
}

extension JSONValue: JSONValueConvertible {
    /// The value itself.
    public var jsonValue: JSONValue { self }
}

extension String: JSONValueConvertible {
    /// The text.
    public var jsonValue: JSONValue { .string(self) }
}

extension Substring: JSONValueConvertible {
    /// The text.
    public var jsonValue: JSONValue { .string(String(self)) }
}

extension Bool: JSONValueConvertible {
    /// The Boolean.
    public var jsonValue: JSONValue { .bool(self) }
}

extension Double: JSONValueConvertible {
    /// The number.
    public var jsonValue: JSONValue { .double(self) }
}

extension Float: JSONValueConvertible {
    /// The number, with the digits that the `Float` itself shows.
    public var jsonValue: JSONValue { .double(Double(description) ?? Double(self)) }
}

extension JSONValueConvertible where Self: BinaryInteger {
    /// The number, with all of its digits.
    public var jsonValue: JSONValue {
        Int64(exactly: self).map { .int($0) } ?? JSONValue(number: String(self))
    }
}

extension Int: JSONValueConvertible {}
extension Int8: JSONValueConvertible {}
extension Int16: JSONValueConvertible {}
extension Int32: JSONValueConvertible {}
extension Int64: JSONValueConvertible {}
extension UInt: JSONValueConvertible {}
extension UInt8: JSONValueConvertible {}
extension UInt16: JSONValueConvertible {}
extension UInt32: JSONValueConvertible {}
extension UInt64: JSONValueConvertible {}
extension Int128: JSONValueConvertible {}
extension UInt128: JSONValueConvertible {}

extension Decimal: JSONValueConvertible {
    /// The number, with all of its digits.
    public var jsonValue: JSONValue {
        isFinite ? JSONValue(number: description, keepsText: true) : .double(.nan)
    }
}

extension Optional: JSONValueConvertible where Wrapped: JSONValueConvertible {
    /// The wrapped value, or null.
    public var jsonValue: JSONValue { self?.jsonValue ?? .null }
}

extension Array: JSONValueConvertible where Element: JSONValueConvertible {
    /// The elements.
    public var jsonValue: JSONValue { .array(map(\.jsonValue)) }
}

extension Dictionary: JSONValueConvertible where Key == String, Value: JSONValueConvertible {
    /// The members.
    public var jsonValue: JSONValue { .object(mapValues(\.jsonValue)) }
}

extension Date: JSONValueConvertible {
    /// The date in ISO 8601 in UTC, to the second, as in `2026-01-31T12:00:00Z`.
    public var jsonValue: JSONValue { .string(formatted(.iso8601)) }
}

extension UUID: JSONValueConvertible {
    /// The text of the UUID, in capitals.
    public var jsonValue: JSONValue { .string(uuidString) }
}

extension URL: JSONValueConvertible {
    /// The text of the URL.
    public var jsonValue: JSONValue { .string(absoluteString) }
}

extension JSONValueConvertible where Self: RawRepresentable, RawValue: JSONValueConvertible {
    /// The raw value.
    public var jsonValue: JSONValue { rawValue.jsonValue }
}
