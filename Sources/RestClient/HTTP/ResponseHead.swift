// SPDX-License-Identifier: MIT

import HTTPTypes
import HTTPWire

/// The header fields of a response, either parsed or in their original form.
///
/// Most responses are decoded without access to their header fields, so the fields are created on demand.
enum ResponseHead: Sendable {
    case fields(HTTPFields)
    case bytes(HeadBytes)
    /// The fields of a stored response, with its age in seconds.
    case stored(HTTPFields, age: Int64)

    /// The fields.
    var fields: HTTPFields {
        switch self {
        case .fields(let fields):
            return fields
        case .stored(var fields, let age):
            fields[.age] = String(age)
            return fields
        case .bytes(let head):
            return head.fields
        }
    }

    /// Returns true if the name of a field begins with one of the prefixes, which are in lower case.
    func hasField(beginningWith prefixes: [[UInt8]]) -> Bool {
        switch self {
        case .bytes(let head):
            head.hasField(beginningWith: prefixes)
        case .fields(let fields), .stored(let fields, _):
            fields.contains { field in
                let name = field.name.canonicalName.utf8
                return prefixes.contains { name.first == $0.first && name.starts(with: $0) }
            }
        }
    }
}
