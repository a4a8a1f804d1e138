// SPDX-License-Identifier: MIT

internal import RestEssentials

extension TapeDocument {
    /// `owner` is the value whose initializer requests this one; `nil` if it is this value itself.
    @inline(__always)
    func decode<Value: Decodable>(_ type: Value.Type, at decoder: ValueDecoder, owner: Int? = nil) throws -> Value {
        // Common types are decoded directly, without their initializers.
        if Value.self == String.self {
            return unsafe unsafeBitCast(try string(decoder.word) { decoder.codingPath }, to: Value.self)
        }
        if Value.self == Int.self {
            return unsafe unsafeBitCast(try integer(decoder.word) { decoder.codingPath } as Int, to: Value.self)
        }
        if Value.self == Double.self {
            return unsafe unsafeBitCast(try double(decoder.word) { decoder.codingPath }, to: Value.self)
        }
        if Value.self == Bool.self {
            return unsafe unsafeBitCast(try boolean(decoder.word) { decoder.codingPath }, to: Value.self)
        }
        if Value.self == [String].self {
            let strings = try elements(at: decoder) { try self.string($0, $1) }
            return unsafe unsafeBitCast(strings, to: Value.self)
        }
        if Value.self == Set<String>.self {
            let strings = try elements(at: decoder) { try self.comparableString($0, $1) }
            return unsafe unsafeBitCast(Set(strings), to: Value.self)
        }
        // Foundation has special rules for these types.
        if Value.self == Date.self {
            return unsafe unsafeBitCast(try date(at: decoder, owner: owner ?? decoder.index), to: Value.self)
        }
        if Value.self == Data.self {
            return unsafe unsafeBitCast(try data(at: decoder), to: Value.self)
        }
        if Value.self == URL.self {
            return unsafe unsafeBitCast(try url(at: decoder), to: Value.self)
        }
        if Value.self == Decimal.self {
            return unsafe unsafeBitCast(try decimal(at: decoder), to: Value.self)
        }
        if !options.areKeysAsWritten, let dictionary = type as? any StringDictionary.Type {
            return try members(of: dictionary, as: type, at: decoder)
        }
        // The initializer of an array does not know how many elements there are. A result that is an optional would be
        // a type to look up for each value.
        if decoder.word.isArray, let array = arrayTypes.array(type) {
            return try array.decode(from: decoder, as: type)
        }
        return try type.init(from: decoder)
    }

    private func elements<Element>(
        at decoder: ValueDecoder,
        _ element: (TapeWord, Path) throws -> Element
    ) throws -> [Element] {
        let array = decoder.word
        guard array.isArray else {
            throw noContainer([Any].self, "unkeyed", array) { decoder.codingPath }
        }
        var elements: [Element] = []
        elements.reserveCapacity(array.count)
        var index = decoder.index + TapeWord.arrayHeader
        while index < array.position {
            elements.append(
                try element(word(index)) { decoder.codingPath + [PathKey(index: elements.count)] }
            )
            index = next(after: index)
        }
        return elements
    }

    func decode<Value: Decodable>(_ type: Value.Type, absentAt decoder: AbsentDecoder) throws -> Value {
        let hasOwnRule =
            type == Date.self || type == Data.self || type == URL.self || type == Decimal.self
        if hasOwnRule {
            throw absent(type) { decoder.codingPath }
        }
        if !options.areKeysAsWritten, type is any StringDictionary.Type {
            throw absent([String: Any].self) { decoder.codingPath }
        }
        return try type.init(from: decoder)
    }
}

/// A dictionary from strings to decodable values, whose keys no strategy converts.
protocol StringDictionary {
    static func decode(_ object: Int, in document: TapeDocument) throws -> Self
}

extension Dictionary: StringDictionary where Key == String, Value: Decodable {
    static func decode(_ object: Int, in document: TapeDocument) throws -> Self {
        let word = document.word(object)
        var result: Self = [:]
        result.reserveCapacity(word.count)
        var index = object + TapeWord.objectHeader
        // Like Foundation, decode every member in the order of the text, and keep the first of those with equal keys.
        while index < word.position {
            let key = document.string(document.word(index))
            document.forgetKey(of: index + 1)
            let decoder = ValueDecoder(document: document, index: index + 1, in: object)
            let value = try document.decode(Value.self, at: decoder, owner: nil)
            if result[key] == nil {
                result[key] = value
            }
            index = document.next(after: index + 1)
        }
        return result
    }
}

extension TapeDocument {
    func members<Value: Decodable>(
        of dictionary: any StringDictionary.Type,
        as type: Value.Type,
        at decoder: ValueDecoder
    ) throws -> Value {
        let word = decoder.word
        guard word.isObject else {
            throw unexpected([String: Any].self, word) { decoder.codingPath }
        }
        guard let members = try dictionary.decode(decoder.index, in: self) as? Value else {
            throw mismatch(type, word) { decoder.codingPath }
        }
        return members
    }
}

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
