// SPDX-License-Identifier: MIT

// One method for each scalar type: the protocol requires them all.
extension UnkeyedReader {
    mutating func decode(_ type: Bool.Type) throws -> Bool {
        let value = try document.boolean(word(of: type)) { currentPath } as Bool
        advance()
        return value
    }

    mutating func decode(_ type: String.Type) throws -> String {
        let value = try document.string(word(of: type)) { currentPath } as String
        advance()
        return value
    }

    mutating func decode(_ type: Double.Type) throws -> Double {
        let value = try document.double(word(of: type)) { currentPath } as Double
        advance()
        return value
    }

    mutating func decode(_ type: Float.Type) throws -> Float {
        let value = try document.float(word(of: type)) { currentPath } as Float
        advance()
        return value
    }

    mutating func decode(_ type: Int.Type) throws -> Int {
        let value = try document.integer(word(of: type)) { currentPath } as Int
        advance()
        return value
    }

    mutating func decode(_ type: Int8.Type) throws -> Int8 {
        let value = try document.integer(word(of: type)) { currentPath } as Int8
        advance()
        return value
    }

    mutating func decode(_ type: Int16.Type) throws -> Int16 {
        let value = try document.integer(word(of: type)) { currentPath } as Int16
        advance()
        return value
    }

    mutating func decode(_ type: Int32.Type) throws -> Int32 {
        let value = try document.integer(word(of: type)) { currentPath } as Int32
        advance()
        return value
    }

    mutating func decode(_ type: Int64.Type) throws -> Int64 {
        let value = try document.integer(word(of: type)) { currentPath } as Int64
        advance()
        return value
    }

    mutating func decode(_ type: Int128.Type) throws -> Int128 {
        let value = try document.integer(word(of: type)) { currentPath } as Int128
        advance()
        return value
    }

    mutating func decode(_ type: UInt.Type) throws -> UInt {
        let value = try document.integer(word(of: type)) { currentPath } as UInt
        advance()
        return value
    }

    mutating func decode(_ type: UInt8.Type) throws -> UInt8 {
        let value = try document.integer(word(of: type)) { currentPath } as UInt8
        advance()
        return value
    }

    mutating func decode(_ type: UInt16.Type) throws -> UInt16 {
        let value = try document.integer(word(of: type)) { currentPath } as UInt16
        advance()
        return value
    }

    mutating func decode(_ type: UInt32.Type) throws -> UInt32 {
        let value = try document.integer(word(of: type)) { currentPath } as UInt32
        advance()
        return value
    }

    mutating func decode(_ type: UInt64.Type) throws -> UInt64 {
        let value = try document.integer(word(of: type)) { currentPath } as UInt64
        advance()
        return value
    }

    mutating func decode(_ type: UInt128.Type) throws -> UInt128 {
        let value = try document.integer(word(of: type)) { currentPath } as UInt128
        advance()
        return value
    }
}
