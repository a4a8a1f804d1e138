// SPDX-License-Identifier: MIT

internal import RestEssentials

/// Decodes one value of a document.
///
/// It is small enough to be stored inline in an existential, so that passing it to an initializer allocates nothing.
struct ValueDecoder: Decoder {
    let document: TapeDocument
    private let position: UInt32
    private let enclosing: UInt32
    private let ordinal: UInt32

    /// `index` is that of the value on the tape, and `place` its place among the elements if its container is an array.
    @inline(__always)
    init(document: TapeDocument, index: Int, in container: Int = TapeWord.outermost, at place: Int = 0) {
        self.document = document
        position = UInt32(truncatingIfNeeded: index)
        enclosing = UInt32(truncatingIfNeeded: container)
        ordinal = UInt32(truncatingIfNeeded: place)
    }

    /// Creates a decoder of a member's value, with the key of the text in the coding path.
    init(document: TapeDocument, memberAsWritten index: Int, of object: Int) {
        document.forgetKey(of: index)
        self.init(document: document, index: index, in: object)
    }

    @inline(__always)
    init(document: TapeDocument, container: Int) {
        let (outer, place) = document.surroundings(container)
        self.init(document: document, index: container, in: outer, at: place)
    }

    @inline(__always) var index: Int { Int(position) }

    @inline(__always) var word: TapeWord { document.word(index) }

    var codingPath: [any CodingKey] {
        document.codingPath(of: index, in: Int(enclosing), at: Int(ordinal))
    }

    var userInfo: [CodingUserInfoKey: Any] { document.options.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(try KeyedReader<Key>(document: document, object: index, owner: index) { codingPath })
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try UnkeyedReader(document: document, array: index, owner: index) { codingPath }
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { self }
}
