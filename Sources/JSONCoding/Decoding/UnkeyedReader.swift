// SPDX-License-Identifier: MIT

struct UnkeyedReader: UnkeyedDecodingContainer {
    let document: TapeDocument
    private let position: UInt32
    private let enclosing: UInt32
    private var following: UInt32
    private var ordinal: UInt32 = 0

    @inline(__always)
    init(document: TapeDocument, array: Int, owner: Int, path: () -> [any CodingKey]) throws {
        let word = document.word(array)
        guard word.isArray else {
            throw document.noContainer([Any].self, "unkeyed", word, path)
        }
        self.document = document
        position = UInt32(truncatingIfNeeded: array)
        enclosing = UInt32(truncatingIfNeeded: owner)
        following = UInt32(truncatingIfNeeded: array + TapeWord.arrayHeader)
    }

    private var array: Int { Int(position) }

    @inline(__always)
    private var next: Int { Int(following) }

    @inline(__always)
    private var hasNext: Bool { next < document.word(array).position }

    var codingPath: [any CodingKey] { document.codingPath(of: array) }

    var currentPath: [any CodingKey] { codingPath + [PathKey(index: currentIndex)] }

    var count: Int? { document.word(array).count }

    var isAtEnd: Bool { currentIndex >= document.word(array).count }

    var currentIndex: Int { Int(ordinal) }

    // MARK: - The next element

    /// The word of the next element; at the end an error.
    @inline(__always)
    func word(of type: Any.Type) throws -> TapeWord {
        guard hasNext else {
            throw end(type)
        }
        return document.word(next)
    }

    /// The word of the next element; `nil` at the end or if the element is null.
    @inline(__always)
    var presentWord: TapeWord? {
        guard hasNext else {
            return nil
        }
        let word = document.word(next)
        return word.isNull ? nil : word
    }

    @inline(__always)
    mutating func advance() {
        following = UInt32(truncatingIfNeeded: document.next(after: next))
        ordinal &+= 1
    }

    /// Moves past the next element, if there is one, and always increments the index, like Foundation.
    @inline(__always)
    mutating func skip() {
        if hasNext {
            following = UInt32(truncatingIfNeeded: document.next(after: next))
        }
        ordinal &+= 1
    }

    @inline(__always)
    private var decoder: ValueDecoder {
        ValueDecoder(document: document, index: next, in: array, at: currentIndex)
    }

    @inline(never)
    private func end(_ type: Any.Type, _ subject: String = "Unkeyed") -> DecodingError {
        .valueNotFound(type, .init(codingPath: currentPath, debugDescription: "\(subject) container is at end."))
    }

    // MARK: - Values

    mutating func decodeNil() throws -> Bool {
        guard try word(of: Never.self).isNull else {
            return false
        }
        advance()
        return true
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        guard hasNext else {
            throw end(type)
        }
        let value = try document.decode(type, at: decoder, owner: Int(enclosing))
        advance()
        return value
    }

    mutating func decodeIfPresent<Value: Decodable>(_ type: Value.Type) throws -> Value? {
        let value = presentWord == nil ? nil : try document.decode(type, at: decoder, owner: Int(enclosing))
        skip()
        return value
    }

    // MARK: - Containers

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
        _ = try word(of: KeyedDecodingContainer<NestedKey>.self)
        let decoder = decoder
        let container = try KeyedReader<NestedKey>(document: document, object: next, owner: Int(enclosing)) {
            decoder.codingPath
        }
        advance()
        return KeyedDecodingContainer(container)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        _ = try word(of: (any UnkeyedDecodingContainer).self)
        let decoder = decoder
        let container = try UnkeyedReader(document: document, array: next, owner: Int(enclosing)) {
            decoder.codingPath
        }
        advance()
        return container
    }

    mutating func superDecoder() throws -> any Decoder {
        guard hasNext else {
            throw end((any Decoder).self, "Cannot get superDecoder() -- unkeyed")
        }
        let decoder = decoder
        advance()
        return decoder
    }
}

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

    @inline(__always)
    private mutating func skipping<Value>(_ value: Value?) -> Value? {
        skip()
        return value
    }
}
