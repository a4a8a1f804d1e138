// SPDX-License-Identifier: MIT

internal import RestEssentials

struct DecodingOptions {
    enum Keys {
        case asWritten
        case fromSnakeCase
        case custom(@Sendable ([any CodingKey]) -> any CodingKey)
    }

    let dates: DateCoding<@Sendable (any Decoder) throws -> Date>
    let data: JSONDecoder.DataDecodingStrategy
    let floats: JSONDecoder.NonConformingFloatDecodingStrategy
    let keys: Keys
    let userInfo: [CodingUserInfoKey: any Sendable]
    let areKeysAsWritten: Bool
    private let foundationDates: JSONDecoder.DateDecodingStrategy
    private let foundationKeys: JSONDecoder.KeyDecodingStrategy

    /// `nil` if the decoder has settings that this library does not support (JSON5, an assumed top-level dictionary,
    /// formatted dates), or is an instance of a subclass.
    init?(_ decoder: JSONDecoder) {
        guard type(of: decoder) == JSONDecoder.self, !decoder.allowsJSON5, !decoder.assumesTopLevelDictionary,
            let dates = DateCoding(decoder.dateDecodingStrategy)
        else {
            return nil
        }
        foundationDates = decoder.dateDecodingStrategy
        foundationKeys = decoder.keyDecodingStrategy
        if case .useDefaultKeys = foundationKeys {
            (keys, areKeysAsWritten) = (.asWritten, true)
        } else if case .convertFromSnakeCase = foundationKeys {
            (keys, areKeysAsWritten) = (.fromSnakeCase, false)
        } else if case .custom(let convert) = foundationKeys {
            (keys, areKeysAsWritten) = (.custom(convert), false)
        } else {
            return nil
        }
        self.dates = dates
        data = decoder.dataDecodingStrategy
        floats = decoder.nonConformingFloatDecodingStrategy
        userInfo = decoder.userInfo
    }

    func makeFoundationDecoder() -> JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = foundationDates
        decoder.keyDecodingStrategy = foundationKeys
        decoder.dataDecodingStrategy = data
        decoder.nonConformingFloatDecodingStrategy = floats
        decoder.userInfo = userInfo
        return decoder
    }
}
