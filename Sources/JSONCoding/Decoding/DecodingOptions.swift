// SPDX-License-Identifier: MIT

internal import RestEssentials

/// The configuration of a `JSONDecoder`.
struct DecodingOptions {
    enum Dates {
        case deferred
        case secondsSince1970
        case millisecondsSince1970
        case iso8601
        case custom(@Sendable (any Decoder) throws -> Date)
    }

    enum Keys {
        case asWritten
        case fromSnakeCase
        case custom(@Sendable ([any CodingKey]) -> any CodingKey)
    }

    let dates: Dates
    let data: JSONDecoder.DataDecodingStrategy
    let floats: JSONDecoder.NonConformingFloatDecodingStrategy
    let keys: Keys
    let userInfo: [CodingUserInfoKey: any Sendable]
    let areKeysAsWritten: Bool

    /// Copies the configuration of a decoder.
    ///
    /// - Returns: `nil` if the decoder has settings that this library does not support (JSON5, an assumed top-level
    ///   dictionary, formatted dates), or is an instance of a subclass.
    init?(_ decoder: JSONDecoder) {
        guard type(of: decoder) == JSONDecoder.self, !decoder.allowsJSON5, !decoder.assumesTopLevelDictionary else {
            return nil
        }
        let dateStrategy = decoder.dateDecodingStrategy
        if case .deferredToDate = dateStrategy {
            dates = .deferred
        } else if case .secondsSince1970 = dateStrategy {
            dates = .secondsSince1970
        } else if case .millisecondsSince1970 = dateStrategy {
            dates = .millisecondsSince1970
        } else if case .iso8601 = dateStrategy {
            dates = .iso8601
        } else if case .custom(let decode) = dateStrategy {
            dates = .custom(decode)
        } else {
            return nil
        }
        let keyStrategy = decoder.keyDecodingStrategy
        if case .useDefaultKeys = keyStrategy {
            (keys, areKeysAsWritten) = (.asWritten, true)
        } else if case .convertFromSnakeCase = keyStrategy {
            (keys, areKeysAsWritten) = (.fromSnakeCase, false)
        } else if case .custom(let convert) = keyStrategy {
            (keys, areKeysAsWritten) = (.custom(convert), false)
        } else {
            return nil
        }
        data = decoder.dataDecodingStrategy
        floats = decoder.nonConformingFloatDecodingStrategy
        userInfo = decoder.userInfo
    }

    /// Makes a Foundation decoder with the same configuration.
    func makeFoundationDecoder() -> JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy =
            switch dates {
            case .deferred: .deferredToDate
            case .secondsSince1970: .secondsSince1970
            case .millisecondsSince1970: .millisecondsSince1970
            case .iso8601: .iso8601
            case .custom(let decode): .custom(decode)
            }
        decoder.keyDecodingStrategy =
            switch keys {
            case .asWritten: .useDefaultKeys
            case .fromSnakeCase: .convertFromSnakeCase
            case .custom(let convert): .custom(convert)
            }
        decoder.dataDecodingStrategy = data
        decoder.nonConformingFloatDecodingStrategy = floats
        decoder.userInfo = userInfo
        return decoder
    }
}
