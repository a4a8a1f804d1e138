// SPDX-License-Identifier: MIT

/// A dictionary from strings to decodable values, whose keys no strategy converts.
protocol StringDictionary {
    /// Decodes the members of an object, whose values are given as tape indices by their keys.
    static func decode(_ members: [String: Int], of object: Int, in document: TapeDocument) throws -> Self
}

extension Dictionary: StringDictionary where Key == String, Value: Decodable {
    static func decode(_ members: [String: Int], of object: Int, in document: TapeDocument) throws -> Self {
        var result: Self = [:]
        result.reserveCapacity(members.count)
        for (key, index) in members {
            let decoder = ValueDecoder(document: document, index: index, in: object)
            result[key] = try document.decode(Value.self, at: decoder, owner: nil)
        }
        return result
    }
}

extension TapeDocument {
    /// Decodes a dictionary whose keys are to be left as they are.
    func members<Value: Decodable>(
        of dictionary: any StringDictionary.Type,
        as type: Value.Type,
        at decoder: ValueDecoder
    ) throws -> Value {
        let word = decoder.word
        guard word.isObject else {
            throw unexpected([String: Any].self, word) { decoder.codingPath }
        }
        let members = try dictionary.decode(members(decoder.index), of: decoder.index, in: self)
        guard let members = members as? Value else {
            throw mismatch(type, word) { decoder.codingPath }
        }
        return members
    }
}
