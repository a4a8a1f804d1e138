// SPDX-License-Identifier: MIT

internal import RestEssentials

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
