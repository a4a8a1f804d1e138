// SPDX-License-Identifier: MIT

// One method for each scalar type: the protocol requires them all.
extension KeyedReader {
    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
        try document.boolean(word(key)) { path(key) }
    }

    func decode(_ type: String.Type, forKey key: Key) throws -> String {
        try document.string(word(key)) { path(key) }
    }

    func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
        try document.double(word(key)) { path(key) }
    }

    func decode(_ type: Float.Type, forKey key: Key) throws -> Float {
        try document.float(word(key)) { path(key) }
    }

    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try integer(key) }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try integer(key) }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try integer(key) }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try integer(key) }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try integer(key) }
    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try integer(key) }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try integer(key) }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try integer(key) }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try integer(key) }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try integer(key) }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try integer(key) }
    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try integer(key) }

    @inline(__always)
    private func integer<Value: FixedWidthInteger & Decodable>(_ key: Key) throws -> Value {
        try document.integer(word(key)) { path(key) }
    }

    @inline(__always)
    private func word(_ key: Key) throws -> TapeWord {
        document.word(try requiredValue(of: key))
    }
}

// One method for each optional scalar type: the protocol requires them all.
extension KeyedReader {
    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
        try presentWord(key).map { try document.boolean($0) { path(key) } }
    }

    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
        try presentWord(key).map { try document.string($0) { path(key) } }
    }

    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
        try presentWord(key).map { try document.double($0) { path(key) } }
    }

    func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? {
        try presentWord(key).map { try document.float($0) { path(key) } }
    }

    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try presentInteger(key) }
    func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? { try presentInteger(key) }
    func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? { try presentInteger(key) }
    func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? { try presentInteger(key) }
    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { try presentInteger(key) }
    func decodeIfPresent(_ type: Int128.Type, forKey key: Key) throws -> Int128? { try presentInteger(key) }
    func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? { try presentInteger(key) }
    func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? { try presentInteger(key) }
    func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? { try presentInteger(key) }
    func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? { try presentInteger(key) }
    func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? { try presentInteger(key) }
    func decodeIfPresent(_ type: UInt128.Type, forKey key: Key) throws -> UInt128? { try presentInteger(key) }

    @inline(__always)
    private func presentInteger<Value: FixedWidthInteger & Decodable>(_ key: Key) throws -> Value? {
        try presentWord(key).map { try document.integer($0) { path(key) } }
    }

    @inline(__always)
    private func presentWord(_ key: Key) -> TapeWord? {
        guard let index = value(of: key) else {
            return nil
        }
        let word = document.word(index)
        return word.isNull ? nil : word
    }
}
