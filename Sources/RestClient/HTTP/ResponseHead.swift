// SPDX-License-Identifier: MIT

import HTTPTypes

/// The header fields of a response, as fields, or as what they are made of.
///
/// Most responses are decoded without a look at their header fields, so these are made on demand.
enum ResponseHead: Sendable {
    typealias Line = (name: String, value: String)

    case fields(HTTPFields)
    case lines([Line])
    /// The fields of a stored response, to which its age in seconds belongs.
    case stored(HTTPFields, age: Int64)

    /// The fields; a line with a malformed name is left out.
    var fields: HTTPFields {
        switch self {
        case .fields(let fields):
            return fields
        case .stored(var fields, let age):
            fields[.age] = String(age)
            return fields
        case .lines(let lines):
            var fields = HTTPFields()
            fields.reserveCapacity(lines.count)
            for line in lines {
                if let name = HTTPField.Name(line.name) {
                    fields.append(HTTPField(name: name, value: line.value))
                }
            }
            return fields
        }
    }
}
