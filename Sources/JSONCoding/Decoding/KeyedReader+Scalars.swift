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

    func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
        try document.integer(word(key)) { path(key) }
    }

    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 {
        try document.integer(word(key)) { path(key) }
    }

    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 {
        try document.integer(word(key)) { path(key) }
    }

    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 {
        try document.integer(word(key)) { path(key) }
    }

    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 {
        try document.integer(word(key)) { path(key) }
    }

    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 {
        try document.integer(word(key)) { path(key) }
    }

    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt {
        try document.integer(word(key)) { path(key) }
    }

    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 {
        try document.integer(word(key)) { path(key) }
    }

    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 {
        try document.integer(word(key)) { path(key) }
    }

    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 {
        try document.integer(word(key)) { path(key) }
    }

    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 {
        try document.integer(word(key)) { path(key) }
    }

    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 {
        try document.integer(word(key)) { path(key) }
    }

    @inline(__always)
    private func word(_ key: Key) throws -> TapeWord {
        document.word(try requiredValue(of: key))
    }
}
