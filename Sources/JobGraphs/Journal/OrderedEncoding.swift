// SPDX-License-Identifier: MIT

import RestEssentials

/// A value that is encoded like another one, and always in the same order: the members of sets, and the pairs of
/// dictionaries that are encoded as arrays, are sorted by their encodings, so that equal values have equal digests.
///
/// A type whose own `encode(to:)` takes the members of a set one by one is not recognized.
struct OrderedEncoding: Encodable {
    private let value: any Encodable

    static func of(_ value: any Encodable) -> any Encodable {
        // An encoder has to see dates, bytes, numbers and URLs as what they are.
        value is any Unhashed ? value : OrderedEncoding(value: value)
    }

    static func isDictionary(_ type: Any.Type) -> Bool { type is any PairTable.Type }

    func encode(to encoder: any Encoder) throws {
        let ordered = OrderedEncoder(base: encoder)
        if let table = value as? any HashTable {
            try table.encodeInOrder(to: ordered)
        } else {
            try value.encode(to: ordered)
        }
    }
}

// MARK: - Types

/// A type without a hash table inside.
private protocol Unhashed {}

extension Bool: Unhashed {}
extension String: Unhashed {}
extension Int: Unhashed {}
extension Int8: Unhashed {}
extension Int16: Unhashed {}
extension Int32: Unhashed {}
extension Int64: Unhashed {}
extension UInt: Unhashed {}
extension UInt8: Unhashed {}
extension UInt16: Unhashed {}
extension UInt32: Unhashed {}
extension UInt64: Unhashed {}
extension Int128: Unhashed {}
extension UInt128: Unhashed {}
extension Float: Unhashed {}
extension Double: Unhashed {}
extension Date: Unhashed {}
extension Data: Unhashed {}
extension URL: Unhashed {}
extension UUID: Unhashed {}
extension Decimal: Unhashed {}
extension Optional: Unhashed where Wrapped: Unhashed {}
extension Array: Unhashed where Element: Unhashed {}

private protocol HashTable {
    func encodeInOrder(to encoder: OrderedEncoder) throws
}

extension Set: HashTable where Element: Encodable {
    fileprivate func encodeInOrder(to encoder: OrderedEncoder) throws {
        var container = encoder.unkeyedContainer()
        for member in try sorted(by: { [try ResultCoding.json($0)] }) {
            try container.encode(member)
        }
    }
}

private protocol PairTable: HashTable {}

extension Dictionary: HashTable, PairTable where Key: Encodable, Value: Encodable {
    fileprivate func encodeInOrder(to encoder: OrderedEncoder) throws {
        guard !(Key.self is any CodingKeyRepresentable.Type) else {
            // It is an object, whose keys are sorted by the encoder.
            return try encode(to: encoder)
        }
        var container = encoder.unkeyedContainer()
        for pair in try sorted(by: { [try ResultCoding.json($0.key), try ResultCoding.json($0.value)] }) {
            try container.encode(pair.key)
            try container.encode(pair.value)
        }
    }
}

extension Sequence {
    fileprivate func sorted(by encoded: (Element) throws -> [Data]) throws -> [Element] {
        try map { (bytes: try encoded($0), element: $0) }
            .sorted { first, second in
                first.bytes.lexicographicallyPrecedes(second.bytes) { $0.lexicographicallyPrecedes($1) }
            }
            .map(\.element)
    }
}

// MARK: - Encoder

private struct OrderedEncoder: Encoder {
    let base: any Encoder

    var codingPath: [any CodingKey] { base.codingPath }
    var userInfo: [CodingUserInfoKey: Any] { base.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(OrderedObject(base: base.container(keyedBy: type)))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        OrderedArray(base: base.unkeyedContainer())
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        OrderedValue(base: base.singleValueContainer())
    }
}

private struct OrderedObject<Key: CodingKey>: KeyedEncodingContainerProtocol {
    var base: KeyedEncodingContainer<Key>

    var codingPath: [any CodingKey] { base.codingPath }

    mutating func encodeNil(forKey key: Key) throws {
        try base.encodeNil(forKey: key)
    }

    mutating func encode(_ value: some Encodable, forKey key: Key) throws {
        try base.encode(OrderedEncoding.of(value), forKey: key)
    }

    // Without these, each value would be encoded as one whose type is unknown.
    mutating func encode(_ value: Bool, forKey key: Key) throws { try base.encode(value, forKey: key) }
    mutating func encode(_ value: String, forKey key: Key) throws { try base.encode(value, forKey: key) }
    mutating func encode(_ value: Double, forKey key: Key) throws { try base.encode(value, forKey: key) }
    mutating func encode(_ value: Float, forKey key: Key) throws { try base.encode(value, forKey: key) }
    mutating func encode(_ value: Int, forKey key: Key) throws { try base.encode(value, forKey: key) }
    mutating func encode(_ value: Int8, forKey key: Key) throws { try base.encode(value, forKey: key) }
    mutating func encode(_ value: Int16, forKey key: Key) throws { try base.encode(value, forKey: key) }
    mutating func encode(_ value: Int32, forKey key: Key) throws { try base.encode(value, forKey: key) }
    mutating func encode(_ value: Int64, forKey key: Key) throws { try base.encode(value, forKey: key) }
    mutating func encode(_ value: Int128, forKey key: Key) throws { try base.encode(value, forKey: key) }
    mutating func encode(_ value: UInt, forKey key: Key) throws { try base.encode(value, forKey: key) }
    mutating func encode(_ value: UInt8, forKey key: Key) throws { try base.encode(value, forKey: key) }
    mutating func encode(_ value: UInt16, forKey key: Key) throws { try base.encode(value, forKey: key) }
    mutating func encode(_ value: UInt32, forKey key: Key) throws { try base.encode(value, forKey: key) }
    mutating func encode(_ value: UInt64, forKey key: Key) throws { try base.encode(value, forKey: key) }
    mutating func encode(_ value: UInt128, forKey key: Key) throws { try base.encode(value, forKey: key) }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type,
        forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        KeyedEncodingContainer(OrderedObject<NestedKey>(base: base.nestedContainer(keyedBy: type, forKey: key)))
    }

    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        OrderedArray(base: base.nestedUnkeyedContainer(forKey: key))
    }

    mutating func superEncoder() -> any Encoder {
        OrderedEncoder(base: base.superEncoder())
    }

    mutating func superEncoder(forKey key: Key) -> any Encoder {
        OrderedEncoder(base: base.superEncoder(forKey: key))
    }
}

private struct OrderedArray: UnkeyedEncodingContainer {
    var base: any UnkeyedEncodingContainer

    var codingPath: [any CodingKey] { base.codingPath }
    var count: Int { base.count }

    mutating func encodeNil() throws {
        try base.encodeNil()
    }

    mutating func encode(_ value: some Encodable) throws {
        try base.encode(OrderedEncoding.of(value))
    }

    // Without these, each value would be encoded as one whose type is unknown.
    mutating func encode(_ value: Bool) throws { try base.encode(value) }
    mutating func encode(_ value: String) throws { try base.encode(value) }
    mutating func encode(_ value: Double) throws { try base.encode(value) }
    mutating func encode(_ value: Float) throws { try base.encode(value) }
    mutating func encode(_ value: Int) throws { try base.encode(value) }
    mutating func encode(_ value: Int8) throws { try base.encode(value) }
    mutating func encode(_ value: Int16) throws { try base.encode(value) }
    mutating func encode(_ value: Int32) throws { try base.encode(value) }
    mutating func encode(_ value: Int64) throws { try base.encode(value) }
    mutating func encode(_ value: Int128) throws { try base.encode(value) }
    mutating func encode(_ value: UInt) throws { try base.encode(value) }
    mutating func encode(_ value: UInt8) throws { try base.encode(value) }
    mutating func encode(_ value: UInt16) throws { try base.encode(value) }
    mutating func encode(_ value: UInt32) throws { try base.encode(value) }
    mutating func encode(_ value: UInt64) throws { try base.encode(value) }
    mutating func encode(_ value: UInt128) throws { try base.encode(value) }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
        KeyedEncodingContainer(OrderedObject(base: base.nestedContainer(keyedBy: type)))
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        OrderedArray(base: base.nestedUnkeyedContainer())
    }

    mutating func superEncoder() -> any Encoder {
        OrderedEncoder(base: base.superEncoder())
    }
}

private struct OrderedValue: SingleValueEncodingContainer {
    var base: any SingleValueEncodingContainer

    var codingPath: [any CodingKey] { base.codingPath }

    mutating func encodeNil() throws {
        try base.encodeNil()
    }

    mutating func encode(_ value: some Encodable) throws {
        try base.encode(OrderedEncoding.of(value))
    }
}
