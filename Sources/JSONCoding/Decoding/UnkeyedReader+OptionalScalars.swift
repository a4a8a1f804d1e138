// SPDX-License-Identifier: MIT

// One method for each optional scalar type. `Int128` and `UInt128` are left out, as in Foundation: the default
// implementation does not advance the index at the end of the array.
extension UnkeyedReader {
    mutating func decodeIfPresent(_ type: Bool.Type) throws -> Bool? {
        let value = try presentWord.map { try document.boolean($0) { currentPath } as Bool }
        skip()
        return value
    }

    mutating func decodeIfPresent(_ type: String.Type) throws -> String? {
        let value = try presentWord.map { try document.string($0) { currentPath } as String }
        skip()
        return value
    }

    mutating func decodeIfPresent(_ type: Double.Type) throws -> Double? {
        let value = try presentWord.map { try document.double($0) { currentPath } as Double }
        skip()
        return value
    }

    mutating func decodeIfPresent(_ type: Float.Type) throws -> Float? {
        let value = try presentWord.map { try document.float($0) { currentPath } as Float }
        skip()
        return value
    }

    mutating func decodeIfPresent(_ type: Int.Type) throws -> Int? {
        let value = try presentWord.map { try document.integer($0) { currentPath } as Int }
        skip()
        return value
    }

    mutating func decodeIfPresent(_ type: Int8.Type) throws -> Int8? {
        let value = try presentWord.map { try document.integer($0) { currentPath } as Int8 }
        skip()
        return value
    }

    mutating func decodeIfPresent(_ type: Int16.Type) throws -> Int16? {
        let value = try presentWord.map { try document.integer($0) { currentPath } as Int16 }
        skip()
        return value
    }

    mutating func decodeIfPresent(_ type: Int32.Type) throws -> Int32? {
        let value = try presentWord.map { try document.integer($0) { currentPath } as Int32 }
        skip()
        return value
    }

    mutating func decodeIfPresent(_ type: Int64.Type) throws -> Int64? {
        let value = try presentWord.map { try document.integer($0) { currentPath } as Int64 }
        skip()
        return value
    }

    mutating func decodeIfPresent(_ type: UInt.Type) throws -> UInt? {
        let value = try presentWord.map { try document.integer($0) { currentPath } as UInt }
        skip()
        return value
    }

    mutating func decodeIfPresent(_ type: UInt8.Type) throws -> UInt8? {
        let value = try presentWord.map { try document.integer($0) { currentPath } as UInt8 }
        skip()
        return value
    }

    mutating func decodeIfPresent(_ type: UInt16.Type) throws -> UInt16? {
        let value = try presentWord.map { try document.integer($0) { currentPath } as UInt16 }
        skip()
        return value
    }

    mutating func decodeIfPresent(_ type: UInt32.Type) throws -> UInt32? {
        let value = try presentWord.map { try document.integer($0) { currentPath } as UInt32 }
        skip()
        return value
    }

    mutating func decodeIfPresent(_ type: UInt64.Type) throws -> UInt64? {
        let value = try presentWord.map { try document.integer($0) { currentPath } as UInt64 }
        skip()
        return value
    }
}
