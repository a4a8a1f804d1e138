// SPDX-License-Identifier: MIT

import RestEssentials

struct SecretMember: Decodable {
    typealias Rule = @Sendable (_ name: String) -> Bool

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init?(stringValue: String) {
            self.stringValue = stringValue
        }

        init?(intValue: Int) {
            nil
        }
    }

    private static let rule = CodingUserInfoKey(rawValue: "rule")

    let name: String?

    static func name(in data: Data, _ rule: @escaping Rule) -> String? {
        // Most results have no member at all.
        guard data.contains(UInt8(ascii: "{")), let key = Self.rule else {
            return nil
        }
        let decoder = ResultCoding.decoder
        decoder.userInfo[key] = rule
        return (try? decoder.decode(Self.self, from: data))?.name
    }

    init(from decoder: any Decoder) throws {
        guard let rule = Self.rule.flatMap({ decoder.userInfo[$0] as? Rule }) else {
            name = nil
            return
        }
        if let object = try? decoder.container(keyedBy: Key.self) {
            name =
                object.allKeys.lazy
                .compactMap { key in
                    if rule(key.stringValue), Self.isText(object, key) {
                        return key.stringValue
                    }
                    if key.stringValue == Composition.CodingKeys.parts.rawValue {
                        let parts = try? object.decode([String].self, forKey: key)
                        return parts?.lazy.compactMap { Self.name(in: Data($0.utf8), rule) }.first
                    }
                    return (try? object.decode(Self.self, forKey: key))?.name
                }
                .first
        } else if var array = try? decoder.unkeyedContainer() {
            var found: String?
            while found == nil, !array.isAtEnd {
                found = try array.decode(Self.self).name
            }
            name = found
        } else {
            name = nil
        }
    }

    /// Returns true if a member is a text, or an object whose value is one.
    private static func isText(_ object: KeyedDecodingContainer<Key>, _ key: Key) -> Bool {
        let value = (try? object.decode([String: JSONText].self, forKey: key))?["value"]?.text
        return ((try? object.decode(String.self, forKey: key)) ?? value)?.isEmpty == false
    }

    /// Any value, of which only a text is read.
    private struct JSONText: Decodable {
        let text: String?

        init(from decoder: any Decoder) {
            text = try? decoder.singleValueContainer().decode(String.self)
        }
    }
}

extension ResultCoding {
    static func isCredential(_ type: Any.Type) -> Bool {
        if type is any CredentialResult.Type {
            return true
        }
        return (type as? any ComposedResult.Type).map { isCredential($0.part) } ?? false
    }
}

extension JobGraphError {
    static func secret(_ place: String, in journal: String) -> Self {
        Self(
            .secretNotSealed,
            "\(place) looks like a credential, and the journal '\(journal)' would store it readable; give the journal a "
                + "codec that seals, as in RunJournal(\"\(journal)\", codec: .sealed(key)), or keep credentials out of "
                + "results and inputs: in RestClient, a TokenSource provides them"
        )
    }
}

/// A type whose values are credentials: a journal stores them only if its codec seals them.
package protocol CredentialResult {}
