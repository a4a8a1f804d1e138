// SPDX-License-Identifier: MIT

internal import RestEssentials

/// A number as the text of JSON has it, with all of its digits.
package struct JSONNumber: Encodable, Sendable {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    package init?(of decoder: any Decoder) {
        guard let decoder = decoder as? ValueDecoder, decoder.document.isNumber(decoder.word) else {
            return nil
        }
        text = decoder.document.string(decoder.word)
    }

    /// Encodes the digits as they are; encoders of other libraries get the type that holds most of them.
    package func encode(to encoder: any Encoder) throws {
        if let encoder = encoder as? ValueEncoder {
            return encoder.encode(numberText: text)
        }
        var container = encoder.singleValueContainer()
        if let whole = UInt64(text) {
            try container.encode(whole)
        } else if let decimal = Decimal(string: text), decimal.isFinite {
            try container.encode(decimal)
        } else {
            try container.encode(Double(text) ?? .nan)
        }
    }
}
