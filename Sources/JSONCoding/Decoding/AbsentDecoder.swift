// SPDX-License-Identifier: MIT

/// Decodes a missing value as if it were null: that of a superclass whose key is missing.
struct AbsentDecoder: Decoder, SingleValueDecodingContainer {
    let codingPath: [any CodingKey]
    let document: TapeDocument

    private var null: TapeWord { TapeWord(.null, count: 0, position: 0) }

    var userInfo: [CodingUserInfoKey: Any] { document.options.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        throw document.noContainer([String: Any].self, "keyed", null) { codingPath }
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        throw document.noContainer([Any].self, "unkeyed", null) { codingPath }
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

    func decodeNil() -> Bool { true }

    func decode(_ type: Bool.Type) throws -> Bool { throw document.mismatch(type, null) { codingPath } }
    func decode(_ type: String.Type) throws -> String { throw document.absent(type) { codingPath } }
    func decode(_ type: Double.Type) throws -> Double { throw document.absent(type) { codingPath } }
    func decode(_ type: Float.Type) throws -> Float { throw document.absent(type) { codingPath } }
    func decode(_ type: Int.Type) throws -> Int { throw document.absent(type) { codingPath } }
    func decode(_ type: Int8.Type) throws -> Int8 { throw document.absent(type) { codingPath } }
    func decode(_ type: Int16.Type) throws -> Int16 { throw document.absent(type) { codingPath } }
    func decode(_ type: Int32.Type) throws -> Int32 { throw document.absent(type) { codingPath } }
    func decode(_ type: Int64.Type) throws -> Int64 { throw document.absent(type) { codingPath } }
    func decode(_ type: Int128.Type) throws -> Int128 { throw document.absent(type) { codingPath } }
    func decode(_ type: UInt.Type) throws -> UInt { throw document.absent(type) { codingPath } }
    func decode(_ type: UInt8.Type) throws -> UInt8 { throw document.absent(type) { codingPath } }
    func decode(_ type: UInt16.Type) throws -> UInt16 { throw document.absent(type) { codingPath } }
    func decode(_ type: UInt32.Type) throws -> UInt32 { throw document.absent(type) { codingPath } }
    func decode(_ type: UInt64.Type) throws -> UInt64 { throw document.absent(type) { codingPath } }
    func decode(_ type: UInt128.Type) throws -> UInt128 { throw document.absent(type) { codingPath } }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try document.decode(type, absentAt: self)
    }
}
