// SPDX-License-Identifier: MIT

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
            let decoder = ValueDecoder(document: document, memberAsWritten: index + 1, of: object)
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
    /// Decodes a dictionary whose keys stay as they are in the text.
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
