// SPDX-License-Identifier: MIT

import HTTPTypes

/// The header fields of a response, as fields or still as the lines that the wire brought.
///
/// Most answers are decoded without anyone looking at their header fields, so these are made only when someone does.
enum ResponseHead: Sendable {
    typealias Line = (name: String, value: String)

    case fields(HTTPFields)
    case lines([Line])

    /// The fields; a line whose name HTTP does not allow is left out.
    var fields: HTTPFields {
        switch self {
        case .fields(let fields):
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
