// SPDX-License-Identifier: MIT

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

    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
        try presentWord(key).map { try document.integer($0) { path(key) } }
    }

    func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? {
        try presentWord(key).map { try document.integer($0) { path(key) } }
    }

    func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? {
        try presentWord(key).map { try document.integer($0) { path(key) } }
    }

    func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? {
        try presentWord(key).map { try document.integer($0) { path(key) } }
    }

    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
        try presentWord(key).map { try document.integer($0) { path(key) } }
    }

    func decodeIfPresent(_ type: Int128.Type, forKey key: Key) throws -> Int128? {
        try presentWord(key).map { try document.integer($0) { path(key) } }
    }

    func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? {
        try presentWord(key).map { try document.integer($0) { path(key) } }
    }

    func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? {
        try presentWord(key).map { try document.integer($0) { path(key) } }
    }

    func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? {
        try presentWord(key).map { try document.integer($0) { path(key) } }
    }

    func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? {
        try presentWord(key).map { try document.integer($0) { path(key) } }
    }

    func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? {
        try presentWord(key).map { try document.integer($0) { path(key) } }
    }

    func decodeIfPresent(_ type: UInt128.Type, forKey key: Key) throws -> UInt128? {
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
