// SPDX-License-Identifier: MIT

/// Everything of an error that should be the same for two coders.
package enum ErrorText {
    package static func describe(_ error: any Error) -> String {
        switch error {
        case DecodingError.typeMismatch(let type, let context): "typeMismatch(\(type)) \(describe(context))"
        case DecodingError.valueNotFound(let type, let context): "valueNotFound(\(type)) \(describe(context))"
        case DecodingError.keyNotFound(let key, let context): "keyNotFound(\(describe(key))) \(describe(context))"
        case DecodingError.dataCorrupted(let context): "dataCorrupted \(describe(context))"
        case EncodingError.invalidValue(let value, let context):
            "invalidValue(\(value)) \(path(context.codingPath)) \(context.debugDescription)"
        case let error as SampleError: "thrown by the model: \(error.text)"
        default: "another error"
        }
    }

    private static func describe(_ context: DecodingError.Context) -> String {
        "\(path(context.codingPath)) \(context.debugDescription) \(context.underlyingError == nil ? "" : "with cause")"
    }

    private static func describe(_ key: any CodingKey) -> String {
        "\(key.stringValue)|\(key.intValue.map(String.init) ?? "")"
    }

    package static func path(_ path: [any CodingKey]) -> String {
        "[" + path.map(describe).joined(separator: ", ") + "]"
    }
}

/// An error that a model throws.
struct SampleError: Error {
    let text: String
}
