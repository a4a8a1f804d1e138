// SPDX-License-Identifier: MIT

internal import RestEssentials

extension TapeDocument {
    func directory(_ object: Int) -> [String: Int] {
        if let directory = directories[object] {
            return directory
        }
        let directory: [String: Int]
        switch options.keys {
        case .asWritten:
            directory = members(object) { string($0) }
        case .fromSnakeCase:
            directory = members(object) { nameFromSnakeCase($0) }
        case .custom(let convert):
            let path = codingPath(of: object)
            directory = members(object) { convert(path + [PathKey(string($0))]).stringValue }
        }
        directories.insert(directory, of: object)
        return directory
    }

    private func nameFromSnakeCase(_ key: TapeWord) -> String {
        let text = string(key)
        return SnakeCase.decoded(text) ?? foreignKeys.name(unsafe Data(bytes(key))) ?? text
    }

    /// The members of an object by the names of their keys; of members with equal names, the first, as in Foundation.
    private func members(_ object: Int, _ name: (TapeWord) -> String) -> [String: Int] {
        let word = word(object)
        var members: [String: Int] = [:]
        members.reserveCapacity(word.count)
        var index = object + TapeWord.objectHeader
        while index < word.position {
            let key = name(self.word(index))
            if members[key] == nil {
                members[key] = index + 1
            }
            index = next(after: index + 1)
        }
        return members
    }
}

/// The keys that Foundation itself converts from snake case, because their words contain characters other than ASCII
/// letters and digits.
final class ForeignKeys {
    private let decoder = JSONDecoder()
    /// The converted keys by the bytes of the text: equivalent keys may be converted to different ones.
    private var names: [Data: String] = [:]

    init() {
        decoder.keyDecodingStrategy = .convertFromSnakeCase
    }

    /// Converts a key as written in the document, including escapes; `nil` if the text is not valid.
    func name(_ text: Data) -> String? {
        if let name = names[text] {
            return name
        }
        let object = try? decoder.decode(OnlyMember.self, from: Data("{\"".utf8) + text + Data("\":0}".utf8))
        names[text] = object?.key
        return object?.key
    }

    private struct OnlyMember: Decodable {
        let key: String?

        init(from decoder: any Decoder) throws {
            key = try decoder.container(keyedBy: PathKey.self).allKeys.first?.stringValue
        }
    }
}
