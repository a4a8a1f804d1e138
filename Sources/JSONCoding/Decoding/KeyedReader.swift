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
