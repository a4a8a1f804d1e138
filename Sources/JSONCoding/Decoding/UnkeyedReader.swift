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
