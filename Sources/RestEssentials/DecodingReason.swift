// SPDX-License-Identifier: MIT

package enum DecodingReason {
    /// Returns a sentence without values of the body, which may be secret.
    package static func describe(_ error: any Error) -> String {
        if case .invalidValue(_, let context)? = error as? EncodingError {
            return MessageText.of(context.debugDescription) + place(context.codingPath)
        }
        guard let error = error as? DecodingError else {
            return String(describing: type(of: error))
        }
        return switch error {
        case .keyNotFound(let key, let context):
            "the member '\(shown(key))' is missing\(place(context.codingPath))"
        case .valueNotFound(let type, let context):
            "a \(type) is null\(place(context.codingPath))"
        case .typeMismatch(let type, let context):
            "a \(type) was expected\(place(context.codingPath))"
        case .dataCorrupted(let context) where context.codingPath.isEmpty:
            MessageText.of(context.debugDescription)
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
                path += path.isEmpty ? shown(key) : "." + shown(key)
            }
        }
        return path.isEmpty ? "" : " at \(path)"
    }

    /// Returns a key, which may be any text of the body.
    private static func shown(_ key: any CodingKey) -> String {
        MessageText.of(key.stringValue, limit: MessageText.partLimit)
    }
}
