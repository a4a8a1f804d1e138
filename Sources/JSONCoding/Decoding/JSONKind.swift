// SPDX-License-Identifier: MIT

/// The kind of a JSON value, for types that decode any value, because every wrong guess of a type creates an error.
package enum JSONKind: Equatable, Sendable {
    case null
    case bool
    case number
    case string
    case array
    case object

    /// The kind of the value that a decoder decodes; `nil` for the decoders of other libraries.
    package init?(of decoder: any Decoder) {
        guard let decoder = decoder as? ValueDecoder else {
            return nil
        }
        self =
            switch decoder.word.kind {
            case .null: .null
            case .true, .false: .bool
            case .integer, .decimal: .number
            case .plainString, .unicodeString, .escapedString: .string
            case .array: .array
            case .object: .object
            }
    }
}
