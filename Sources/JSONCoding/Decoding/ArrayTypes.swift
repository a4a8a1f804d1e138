// SPDX-License-Identifier: MIT

/// Tells arrays from other types, which takes longer than to decode a short array: the latest result is kept.
struct ArrayTypes {
    private var latest: (type: ObjectIdentifier, array: (any DecodableArray.Type)?)?

    mutating func array(_ type: Any.Type) -> (any DecodableArray.Type)? {
        if let latest, latest.type == ObjectIdentifier(type) {
            return latest.array
        }
        let array = type as? any DecodableArray.Type
        latest = (ObjectIdentifier(type), array)
        return array
    }
}

/// An array of decodable elements, which is decoded as by the initializer of `Array`, but with memory for all of them.
protocol DecodableArray {
    /// `type` is this type, as the caller knows it.
    static func decode<Value>(from decoder: ValueDecoder, as type: Value.Type) throws -> Value
}

extension Array: DecodableArray where Element: Decodable {
    static func decode<Value>(from decoder: ValueDecoder, as type: Value.Type) throws -> Value {
        let document = decoder.document
        var reader = try UnkeyedReader(document: document, array: decoder.index, owner: decoder.index) {
            decoder.codingPath
        }
        var elements: [Element] = []
        // An element of a few bytes of text may be large in memory.
        elements.reserveCapacity(Swift.min(document.word(decoder.index).count, 1_024))
        while !reader.isAtEnd {
            elements.append(try reader.decode(Element.self))
        }
        // Both are one type: the caller asked for the array of this type.
        return unsafe unsafeBitCast(elements, to: Value.self)
    }
}
