// SPDX-License-Identifier: MIT

import JSONCoding

/// Any JSON value, found by its kind, or else by asking for one type after the other.
enum Tree: Decodable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([Tree])
    case object([String: Tree])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        switch JSONKind(of: decoder) {
        case .null?: self = .null
        case .bool?: self = .bool(try container.decode(Bool.self))
        case .number?: self = .number(try container.decode(Double.self))
        case .string?: self = .string(try container.decode(String.self))
        case .array?: self = .array(try container.decode([Tree].self))
        case .object?: self = .object(try container.decode([String: Tree].self))
        case nil: self = try Self.guess(container)
        }
    }

    private static func guess(_ container: any SingleValueDecodingContainer) throws -> Tree {
        if container.decodeNil() {
            return .null
        } else if let value = try? container.decode(Bool.self) {
            return .bool(value)
        } else if let value = try? container.decode(Double.self) {
            return .number(value)
        } else if let value = try? container.decode(String.self) {
            return .string(value)
        } else if let value = try? container.decode([Tree].self) {
            return .array(value)
        } else {
            return .object(try container.decode([String: Tree].self))
        }
    }
}
