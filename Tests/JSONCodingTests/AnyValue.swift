// SPDX-License-Identifier: MIT

import JSONCoding
import Testing

/// Any JSON value, to decode whole documents.
indirect enum AnyValue: Decodable, Equatable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([AnyValue])
    case object([String: AnyValue])

    init(from decoder: any Decoder) throws {
        self = try Self.guess(decoder.singleValueContainer())
        if let kind = JSONKind(of: decoder) {
            #expect(kind == self.kind)
        }
    }

    private static func guess(_ container: any SingleValueDecodingContainer) throws -> AnyValue {
        if container.decodeNil() {
            return .null
        } else if let value = try? container.decode(Bool.self) {
            return .bool(value)
        } else if let value = try? container.decode(Double.self) {
            return .number(value)
        } else if let value = try? container.decode(String.self) {
            return .string(value)
        } else if let value = try? container.decode([AnyValue].self) {
            return .array(value)
        } else {
            return .object(try container.decode([String: AnyValue].self))
        }
    }

    private var kind: JSONKind {
        switch self {
        case .null: .null
        case .bool: .bool
        case .number: .number
        case .string: .string
        case .array: .array
        case .object: .object
        }
    }
}
