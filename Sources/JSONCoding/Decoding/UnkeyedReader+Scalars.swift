// SPDX-License-Identifier: MIT

// One method for each scalar type: the protocol requires them all.
extension UnkeyedReader {
    mutating func decode(_ type: Bool.Type) throws -> Bool {
        try passing(document.boolean(word(of: type)) { currentPath })
    }

    mutating func decode(_ type: String.Type) throws -> String {
        try passing(document.string(word(of: type)) { currentPath })
    }

    mutating func decode(_ type: Double.Type) throws -> Double {
        try passing(document.double(word(of: type)) { currentPath })
    }

    mutating func decode(_ type: Float.Type) throws -> Float {
        try passing(document.float(word(of: type)) { currentPath })
    }

    mutating func decode(_ type: Int.Type) throws -> Int { try passing(integer(type)) }
    mutating func decode(_ type: Int8.Type) throws -> Int8 { try passing(integer(type)) }
    mutating func decode(_ type: Int16.Type) throws -> Int16 { try passing(integer(type)) }
    mutating func decode(_ type: Int32.Type) throws -> Int32 { try passing(integer(type)) }
    mutating func decode(_ type: Int64.Type) throws -> Int64 { try passing(integer(type)) }
    mutating func decode(_ type: Int128.Type) throws -> Int128 { try passing(integer(type)) }
    mutating func decode(_ type: UInt.Type) throws -> UInt { try passing(integer(type)) }
    mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try passing(integer(type)) }
    mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try passing(integer(type)) }
    mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try passing(integer(type)) }
    mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try passing(integer(type)) }
    mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try passing(integer(type)) }

    @inline(__always)
    private func integer<Value: FixedWidthInteger & Decodable>(_ type: Value.Type) throws -> Value {
        try document.integer(word(of: type)) { currentPath }
    }

    /// Moves past the element that was decoded.
    @inline(__always)
    private mutating func passing<Value>(_ value: Value) -> Value {
        advance()
        return value
    }
}

// One method for each optional scalar type. `Int128` and `UInt128` are left out, as in Foundation: the default
// implementation does not advance the index at the end of the array.
extension UnkeyedReader {
    mutating func decodeIfPresent(_ type: Bool.Type) throws -> Bool? {
        try skipping(presentWord.map { try document.boolean($0) { currentPath } })
    }

    mutating func decodeIfPresent(_ type: String.Type) throws -> String? {
        try skipping(presentWord.map { try document.string($0) { currentPath } })
    }

    mutating func decodeIfPresent(_ type: Double.Type) throws -> Double? {
        try skipping(presentWord.map { try document.double($0) { currentPath } })
    }

    mutating func decodeIfPresent(_ type: Float.Type) throws -> Float? {
        try skipping(presentWord.map { try document.float($0) { currentPath } })
    }

    mutating func decodeIfPresent(_ type: Int.Type) throws -> Int? { try skipping(presentInteger()) }
    mutating func decodeIfPresent(_ type: Int8.Type) throws -> Int8? { try skipping(presentInteger()) }
    mutating func decodeIfPresent(_ type: Int16.Type) throws -> Int16? { try skipping(presentInteger()) }
    mutating func decodeIfPresent(_ type: Int32.Type) throws -> Int32? { try skipping(presentInteger()) }
    mutating func decodeIfPresent(_ type: Int64.Type) throws -> Int64? { try skipping(presentInteger()) }
    mutating func decodeIfPresent(_ type: UInt.Type) throws -> UInt? { try skipping(presentInteger()) }
    mutating func decodeIfPresent(_ type: UInt8.Type) throws -> UInt8? { try skipping(presentInteger()) }
    mutating func decodeIfPresent(_ type: UInt16.Type) throws -> UInt16? { try skipping(presentInteger()) }
    mutating func decodeIfPresent(_ type: UInt32.Type) throws -> UInt32? { try skipping(presentInteger()) }
    mutating func decodeIfPresent(_ type: UInt64.Type) throws -> UInt64? { try skipping(presentInteger()) }

    @inline(__always)
    private func presentInteger<Value: FixedWidthInteger & Decodable>() throws -> Value? {
        try presentWord.map { try document.integer($0) { currentPath } }
    }

    /// Moves past the element that was decoded, if there is one.
    @inline(__always)
    private mutating func skipping<Value>(_ value: Value?) -> Value? {
        skip()
        return value
    }
}
