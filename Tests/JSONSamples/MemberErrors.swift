// SPDX-License-Identifier: MIT

/// The errors of all members of an object, where decoding a dictionary reports the first.
///
/// Which one is the first, the order of `allKeys` decides; in Foundation that is another one for each container.
struct MemberErrors<Key: Hashable & Decodable, Value: Decodable>: Decodable {
    let texts: [String]

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: SampleKey.self)
        texts = container.allKeys.compactMap { Self.error(of: $0, in: container) }.sorted()
    }

    private static func error(of key: SampleKey, in container: KeyedDecodingContainer<SampleKey>) -> String? {
        do {
            guard Key.self != Int.self || key.intValue != nil else {
                // As the standard library says it.
                throw DecodingError.typeMismatch(
                    Int.self,
                    .init(
                        codingPath: container.codingPath + [key],
                        debugDescription: "Expected Int key but found String key instead."
                    )
                )
            }
            _ = try container.decode(Value.self, forKey: key)
            return nil
        } catch {
            return ErrorText.describe(error)
        }
    }
}
