// SPDX-License-Identifier: MIT

import JSONCoding

/// Any JSON value, found by its kind, or else by asking for one type after the other.
package enum SampleTree: Decodable, Equatable, Sendable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([SampleTree])
    case object([String: SampleTree])

    package init(from decoder: any Decoder) throws {
        self = try Self.find(decoder.singleValueContainer(), JSONKind(of: decoder))
    }

    /// Asks for the type of a kind, or for all types if the kind is not known.
    ///
    /// A value that cannot be decoded ends with the error for an object either way, so that results with a kind and
    /// without can be compared.
    private static func find(_ container: any SingleValueDecodingContainer, _ kind: JSONKind?) throws -> SampleTree {
        func mayBe(_ other: JSONKind) -> Bool { kind == nil || kind == other }
        if mayBe(.null), container.decodeNil() {
            return .null
        }
        if mayBe(.bool), let value = try? container.decode(Bool.self) {
            return .bool(value)
        }
        if mayBe(.number), let value = try? container.decode(Double.self) {
            return .number(value)
        }
        if mayBe(.string), let value = try? container.decode(String.self) {
            return .string(value)
        }
        if mayBe(.array), let value = try? container.decode([SampleTree].self) {
            return .array(value)
        }
        return .object(try container.decode([String: SampleTree].self))
    }
}
