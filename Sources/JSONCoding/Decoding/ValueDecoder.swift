// SPDX-License-Identifier: MIT

internal import RestEssentials

/// Decodes one value; small enough to be stored inline in an existential, so that passing it allocates nothing.
struct ValueDecoder: Decoder {
    let document: TapeDocument
    private let position: UInt32
    private let enclosing: UInt32
    private let ordinal: UInt32

    /// `index` is that of the value on the tape, and `place` its place among the elements if its container is an array.
    @inline(__always)
    init(document: TapeDocument, index: Int, in container: Int = TapeWord.outermost, at place: Int = 0) {
        self.document = document
        position = UInt32(truncatingIfNeeded: index)
        enclosing = UInt32(truncatingIfNeeded: container)
        ordinal = UInt32(truncatingIfNeeded: place)
    }

    @inline(__always) var index: Int { Int(position) }

    @inline(__always) var word: TapeWord { document.word(index) }

    var codingPath: [any CodingKey] {
        document.codingPath(of: index, in: Int(enclosing), at: Int(ordinal))
    }

    var userInfo: [CodingUserInfoKey: Any] { document.options.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(try KeyedReader<Key>(document: document, object: index, owner: index) { codingPath })
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try UnkeyedReader(document: document, array: index, owner: index) { codingPath }
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { self }
}

extension ValueDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool { word.isNull }

    func decode(_ type: Bool.Type) throws -> Bool { try document.boolean(word) { codingPath } }

    /// Types with a text, such as enumerations, compare it.
    func decode(_ type: String.Type) throws -> String { try document.comparableString(word) { codingPath } }
    func decode(_ type: Double.Type) throws -> Double { try document.double(word) { codingPath } }
    func decode(_ type: Float.Type) throws -> Float { try document.float(word) { codingPath } }
    func decode(_ type: Int.Type) throws -> Int { try document.integer(word) { codingPath } }
    func decode(_ type: Int8.Type) throws -> Int8 { try document.integer(word) { codingPath } }
    func decode(_ type: Int16.Type) throws -> Int16 { try document.integer(word) { codingPath } }
    func decode(_ type: Int32.Type) throws -> Int32 { try document.integer(word) { codingPath } }
    func decode(_ type: Int64.Type) throws -> Int64 { try document.integer(word) { codingPath } }
    func decode(_ type: Int128.Type) throws -> Int128 { try document.integer(word) { codingPath } }
    func decode(_ type: UInt.Type) throws -> UInt { try document.integer(word) { codingPath } }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try document.integer(word) { codingPath } }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try document.integer(word) { codingPath } }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try document.integer(word) { codingPath } }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try document.integer(word) { codingPath } }
    func decode(_ type: UInt128.Type) throws -> UInt128 { try document.integer(word) { codingPath } }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try document.decode(type, at: self)
    }
}

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
