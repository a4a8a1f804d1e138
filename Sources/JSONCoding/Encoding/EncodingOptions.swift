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

    /// `nil` if the encoder has settings that this library does not support (indentation, formatted dates, keys
    /// converted by a closure), or is an instance of a subclass.
    init?(_ encoder: JSONEncoder) {
        let formatting = encoder.outputFormatting
        guard type(of: encoder) == JSONEncoder.self,
            formatting.isSubset(of: [.sortedKeys, .withoutEscapingSlashes]),
            let dates = DateCoding(encoder.dateEncodingStrategy)
        else {
            return nil
        }
        let keyStrategy = encoder.keyEncodingStrategy
        if case .useDefaultKeys = keyStrategy {
            usesSnakeCase = false
        } else if case .convertToSnakeCase = keyStrategy {
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
        encoder.dateEncodingStrategy = dates.foundationStrategy
        encoder.keyEncodingStrategy = usesSnakeCase ? .convertToSnakeCase : .useDefaultKeys
        encoder.dataEncodingStrategy = data
        encoder.nonConformingFloatEncodingStrategy = floats
        encoder.userInfo = userInfo
        var formatting: JSONEncoder.OutputFormatting = []
        if sortsKeys { formatting.insert(.sortedKeys) }
        if !escapesSlashes { formatting.insert(.withoutEscapingSlashes) }
        encoder.outputFormatting = formatting
        return encoder
    }
}
