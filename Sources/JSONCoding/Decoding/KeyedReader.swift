// SPDX-License-Identifier: MIT

internal import RestEssentials

struct KeyedReader<Key: CodingKey>: KeyedDecodingContainerProtocol {
    // One reference and integers: the container is copied for each member.
    let document: TapeDocument
    private let position: UInt32
    private let enclosing: UInt32
    private let isPlain: Bool

    @inline(__always)
    init(document: TapeDocument, object: Int, owner: Int, path: () -> [any CodingKey]) throws {
        let word = document.word(object)
        guard word.isObject else {
            throw document.noContainer([String: Any].self, "keyed", word, path)
        }
        self.document = document
        position = UInt32(truncatingIfNeeded: object)
        enclosing = UInt32(truncatingIfNeeded: owner)
        isPlain = document.options.areKeysAsWritten && document.hasPlainDistinctKeys(object)
    }

    @inline(__always) var object: Int { Int(position) }

    /// The value whose initializer requested the container; not ``object`` if the container is nested.
    @inline(__always) var owner: Int { Int(enclosing) }

    var codingPath: [any CodingKey] { document.codingPath(of: object) }

    var allKeys: [Key] {
        guard isPlain else {
            return document.directory(object).keys.compactMap { Key(stringValue: $0) }
        }
        let end = document.word(object).position
        var keys: [Key] = []
        keys.reserveCapacity(document.word(object).count)
        var index = object + TapeWord.objectHeader
        while index < end {
            if let key = Key(stringValue: document.string(document.word(index))) {
                keys.append(key)
            }
            index = document.next(after: index + 1)
        }
        return keys
    }

    func contains(_ key: Key) -> Bool { value(of: key) != nil }

    @inline(__always)
    func value(of key: some CodingKey) -> Int? {
        isPlain ? document.value(of: key.stringValue, in: object) : document.directory(object)[key.stringValue]
    }

    @inline(__always)
    func requiredValue(of key: Key) throws -> Int {
        guard let index = value(of: key) else {
            throw missing(key)
        }
        return index
    }

    @inline(never)
    private func missing(_ key: Key) -> DecodingError {
        .keyNotFound(
            key,
            .init(
                codingPath: codingPath,
                debugDescription: "No value associated with key \(key) (\"\(key.stringValue)\")."
            )
        )
    }

    @inline(__always)
    func decoder(of index: Int, _ key: some CodingKey) -> ValueDecoder {
        if !document.options.areKeysAsWritten || key.intValue != nil {
            document.note(key, of: index)
        }
        return ValueDecoder(document: document, index: index, in: object)
    }

    func path(_ key: Key) -> [any CodingKey] { codingPath + [key] }

    // MARK: - Values

    func decodeNil(forKey key: Key) throws -> Bool {
        document.word(try requiredValue(of: key)).isNull
    }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        let index = try requiredValue(of: key)
        return try document.decode(type, at: decoder(of: index, key), owner: owner)
    }

    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        guard let index = value(of: key), !document.word(index).isNull else {
            return nil
        }
        return try document.decode(type, at: decoder(of: index, key), owner: owner)
    }

    // MARK: - Containers

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type,
        forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        let decoder = decoder(of: try requiredValue(of: key), key)
        let container = try KeyedReader<NestedKey>(document: document, object: decoder.index, owner: owner) {
            decoder.codingPath
        }
        return KeyedDecodingContainer(container)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        let decoder = decoder(of: try requiredValue(of: key), key)
        return try UnkeyedReader(document: document, array: decoder.index, owner: owner) { decoder.codingPath }
    }

    func superDecoder() throws -> any Decoder { memberDecoder(PathKey.super) }

    func superDecoder(forKey key: Key) throws -> any Decoder { memberDecoder(key) }

    private func memberDecoder(_ key: some CodingKey) -> any Decoder {
        guard let index = value(of: key) else {
            return AbsentDecoder(codingPath: codingPath + [key], document: document)
        }
        return decoder(of: index, key)
    }
}

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
