// SPDX-License-Identifier: MIT

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
