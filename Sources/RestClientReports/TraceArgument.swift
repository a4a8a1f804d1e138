// SPDX-License-Identifier: MIT

/// A detail of an event in Chrome's trace event format.
enum TraceArgument: Encodable, Equatable {
    case string(String)
    case int(Int64)
    case bool(Bool)
    case array([TraceArgument])

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .string(let text): try container.encode(text)
        case .int(let number): try container.encode(number)
        case .bool(let flag): try container.encode(flag)
        case .array(let elements): try container.encode(elements)
        }
    }
}
