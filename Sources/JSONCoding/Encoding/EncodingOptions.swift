// SPDX-License-Identifier: MIT

internal import RestEssentials

struct EncodingOptions {
    let dates: DateCoding<@Sendable (Date, any Encoder) throws -> Void>
    let data: JSONEncoder.DataEncodingStrategy
    let floats: JSONEncoder.NonConformingFloatEncodingStrategy
    let userInfo: [CodingUserInfoKey: any Sendable]
    let usesSnakeCase: Bool
    let sortsKeys: Bool
    let escapesSlashes: Bool
    private let foundationDates: JSONEncoder.DateEncodingStrategy
    private let foundationKeys: JSONEncoder.KeyEncodingStrategy
    private let formatting: JSONEncoder.OutputFormatting

    /// `nil` if the encoder has settings that this library does not support (indentation, formatted dates, keys
    /// converted by a closure), or is an instance of a subclass.
    init?(_ encoder: JSONEncoder) {
        formatting = encoder.outputFormatting
        guard type(of: encoder) == JSONEncoder.self,
            formatting.isSubset(of: [.sortedKeys, .withoutEscapingSlashes]),
            let dates = DateCoding(encoder.dateEncodingStrategy)
        else {
            return nil
        }
        foundationDates = encoder.dateEncodingStrategy
        foundationKeys = encoder.keyEncodingStrategy
        if case .useDefaultKeys = foundationKeys {
            usesSnakeCase = false
        } else if case .convertToSnakeCase = foundationKeys {
            usesSnakeCase = true
        } else {
            return nil
        }
        self.dates = dates
        data = encoder.dataEncodingStrategy
        floats = encoder.nonConformingFloatEncodingStrategy
        userInfo = encoder.userInfo
        sortsKeys = formatting.contains(.sortedKeys)
        escapesSlashes = !formatting.contains(.withoutEscapingSlashes)
    }

    func makeFoundationEncoder() -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = foundationDates
        encoder.keyEncodingStrategy = foundationKeys
        encoder.dataEncodingStrategy = data
        encoder.nonConformingFloatEncodingStrategy = floats
        encoder.userInfo = userInfo
        encoder.outputFormatting = formatting
        return encoder
    }
}
