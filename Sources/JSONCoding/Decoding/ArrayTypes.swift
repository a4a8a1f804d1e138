// SPDX-License-Identifier: MIT

/// Tells arrays from other types, which takes longer than to decode a short array: the latest result is kept.
struct ArrayTypes {
    private var latest: (type: ObjectIdentifier, array: (any DecodableArray.Type)?)?

    mutating func array(_ type: Any.Type) -> (any DecodableArray.Type)? {
        if let latest, latest.type == ObjectIdentifier(type) {
            return latest.array
        }
        let array = type as? any DecodableArray.Type
        latest = (ObjectIdentifier(type), array)
        return array
    }
}
