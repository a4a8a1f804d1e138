// SPDX-License-Identifier: MIT

/// A value of an archive, for coders.
struct HARCoded<Value: HARCodable>: Codable {
    let value: Value

    init(_ value: Value) {
        self.value = value
    }

    init(from decoder: any Decoder) throws {
        value = try Value(from: decoder)
    }

    func encode(to encoder: any Encoder) throws {
        try value.encode(to: encoder)
    }
}

extension KeyedDecodingContainer {
    func decode<Value: HARCodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try decode(HARCoded<Value>.self, forKey: key).value
    }

    func decodeIfPresent<Value: HARCodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        try decodeIfPresent(HARCoded<Value>.self, forKey: key)?.value
    }
}

extension KeyedEncodingContainer {
    mutating func encode(_ value: some HARCodable, forKey key: Key) throws {
        try encode(HARCoded(value), forKey: key)
    }
}

extension Array: HARCodable where Element: HARCodable {
    init(from decoder: any Decoder) throws {
        self = try [HARCoded<Element>](from: decoder).map(\.value)
    }

    func encode(to encoder: any Encoder) throws {
        try map { HARCoded($0) }.encode(to: encoder)
    }
}

/// A type with a form in the HTTP Archive format; unlike `Codable`, it gives public types no public coders.
protocol HARCodable: Sendable {
    init(from decoder: any Decoder) throws
    func encode(to encoder: any Encoder) throws
}
