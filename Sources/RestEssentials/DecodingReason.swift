// SPDX-License-Identifier: MIT

/// Describes why encoding or decoding failed, and where in the body.
package enum DecodingReason {
    /// Returns a sentence without values of the body, which may be secret.
    package static func describe(_ error: any Error) -> String {
        if case .invalidValue(_, let context)? = error as? EncodingError {
            return context.debugDescription + place(context.codingPath)
        }
        guard let error = error as? DecodingError else {
            return String(describing: type(of: error))
        }
        return switch error {
        case .keyNotFound(let key, let context):
            "the member '\(key.stringValue)' is missing\(place(context.codingPath))"
        case .valueNotFound(let type, let context):
            "a \(type) is null\(place(context.codingPath))"
        case .typeMismatch(let type, let context):
            "a \(type) was expected\(place(context.codingPath))"
        case .dataCorrupted(let context) where context.codingPath.isEmpty:
            context.debugDescription
        case .dataCorrupted(let context):
            "the value is not one of those allowed\(place(context.codingPath))"
        @unknown default:
            "it cannot be decoded"
        }
    }

    private static func place(_ codingPath: [any CodingKey]) -> String {
        var path = ""
        for key in codingPath {
            if let index = key.intValue {
                path += "[\(index)]"
            } else {
                path += path.isEmpty ? key.stringValue : "." + key.stringValue
            }
        }
        return path.isEmpty ? "" : " at \(path)"
    }
}
