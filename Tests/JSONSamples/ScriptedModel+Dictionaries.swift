// SPDX-License-Identifier: MIT

// Dictionaries, whose first error depends on the order of keys: all that could be the first are noted.
extension ScriptedModel {
    static func decodeDictionary<Key, Value>(
        _ type: [Key: Value].Type,
        _ key: SampleKey,
        _ container: KeyedDecodingContainer<SampleKey>,
        _ script: Script
    ) where Key: Comparable & Decodable, Value: Decodable {
        note("\(type) \(key.stringValue)", script) {
            try container.decode(type, forKey: key)
        } errors: {
            try container.decode(MemberErrors<Key, Value>.self, forKey: key)
        }
    }

    static func decodeDictionary<Key, Value>(
        _ type: [Key: Value].Type,
        _ container: inout any UnkeyedDecodingContainer,
        _ script: Script
    ) where Key: Comparable & Decodable, Value: Decodable {
        note("\(type)", script) {
            try container.decode(type)
        } errors: {
            try container.decode(MemberErrors<Key, Value>.self)
        }
    }

    static func decodeDictionary<Key, Value>(
        _ type: [Key: Value].Type,
        _ container: any SingleValueDecodingContainer,
        _ script: Script
    ) where Key: Comparable & Decodable, Value: Decodable {
        note("\(type)", script) {
            try container.decode(type)
        } errors: {
            try container.decode(MemberErrors<Key, Value>.self)
        }
    }

    /// Notes the members, or the error if the order of the text decides about it, or else all errors that there are,
    /// and whether the one that was thrown is among them.
    private static func note<Key: Comparable, Value>(
        _ name: String,
        _ script: Script,
        _ decode: () throws -> [Key: Value],
        errors: () throws -> MemberErrors<Key, Value>
    ) {
        do {
            script.note("\(name) = \(try decode().sorted { $0.key < $1.key })")
        } catch {
            let thrown = ErrorText.describe(error)
            let followsText = Key.self == String.self && script.hasKeyStrategy
            // Not an object: there is one error, and its members have none.
            guard !followsText, let possible = try? errors().texts else {
                return script.note("\(name): \(thrown)")
            }
            script.note("\(name): \(possible.contains(thrown) ? "the first" : thrown) of \(possible)")
        }
    }
}
