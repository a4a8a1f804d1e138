// SPDX-License-Identifier: MIT

import JSONCoding
import RestEssentials
import Testing

/// Each type of number, in each kind of container, by the method that the protocol has for it: arrays and synthesized
/// code use the generic one.
@Suite
struct ScalarTests {
    /// The values of one row: extremes, and nothing.
    struct Row: Sendable, Encodable {
        enum Place: String, Sendable, CaseIterable {
            case members, elements, optionals, alone
        }

        enum Key: String, CodingKey {
            case bool, string, double, float, int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64, null
        }

        let place: Place
        let isGreatest: Bool

        /// One value, in a container for one.
        private struct Alone: Encodable {
            let write: (inout any SingleValueEncodingContainer) throws -> Void

            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try write(&container)
            }
        }

        private func bound<Value: FixedWidthInteger>(_ type: Value.Type) -> Value { isGreatest ? .max : .min }

        func encode(to encoder: any Encoder) throws {
            switch place {
            case .members: try encodeMembers(to: encoder)
            case .elements: try encodeElements(to: encoder)
            case .optionals: try encodeOptionals(to: encoder)
            case .alone: try encodeAlone(to: encoder)
            }
        }

        private func encodeMembers(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(isGreatest, forKey: .bool)
            try container.encode("ä\"\\\u{1}", forKey: .string)
            try container.encode(isGreatest ? Double.greatestFiniteMagnitude : -0.0, forKey: .double)
            try container.encode(isGreatest ? Float.greatestFiniteMagnitude : .leastNonzeroMagnitude, forKey: .float)
            try container.encode(bound(Int.self), forKey: .int)
            try container.encode(bound(Int8.self), forKey: .int8)
            try container.encode(bound(Int16.self), forKey: .int16)
            try container.encode(bound(Int32.self), forKey: .int32)
            try container.encode(bound(Int64.self), forKey: .int64)
            try container.encode(bound(UInt.self), forKey: .uint)
            try container.encode(bound(UInt8.self), forKey: .uint8)
            try container.encode(bound(UInt16.self), forKey: .uint16)
            try container.encode(bound(UInt32.self), forKey: .uint32)
            try container.encode(bound(UInt64.self), forKey: .uint64)
            try container.encodeNil(forKey: .null)
        }

        private func encodeElements(to encoder: any Encoder) throws {
            var container = encoder.unkeyedContainer()
            try container.encode(isGreatest)
            try container.encode("ä\"\\\u{1}")
            try container.encode(isGreatest ? Double.greatestFiniteMagnitude : -0.0)
            try container.encode(isGreatest ? Float.greatestFiniteMagnitude : .leastNonzeroMagnitude)
            try container.encode(bound(Int.self))
            try container.encode(bound(Int8.self))
            try container.encode(bound(Int16.self))
            try container.encode(bound(Int32.self))
            try container.encode(bound(Int64.self))
            try container.encode(bound(UInt.self))
            try container.encode(bound(UInt8.self))
            try container.encode(bound(UInt16.self))
            try container.encode(bound(UInt32.self))
            try container.encode(bound(UInt64.self))
            try container.encodeNil()
        }

        private func encodeOptionals(to encoder: any Encoder) throws {
            func some<Value>(_ value: Value) -> Value? { isGreatest ? value : nil }
            var container = encoder.container(keyedBy: Key.self)
            try container.encodeIfPresent(some(true), forKey: .bool)
            try container.encodeIfPresent(some("x"), forKey: .string)
            try container.encodeIfPresent(some(0.1), forKey: .double)
            try container.encodeIfPresent(some(Float(0.1)), forKey: .float)
            try container.encodeIfPresent(some(Int(-1)), forKey: .int)
            try container.encodeIfPresent(some(Int8(-1)), forKey: .int8)
            try container.encodeIfPresent(some(Int16(-1)), forKey: .int16)
            try container.encodeIfPresent(some(Int32(-1)), forKey: .int32)
            try container.encodeIfPresent(some(Int64(-1)), forKey: .int64)
            try container.encodeIfPresent(some(UInt(1)), forKey: .uint)
            try container.encodeIfPresent(some(UInt8(1)), forKey: .uint8)
            try container.encodeIfPresent(some(UInt16(1)), forKey: .uint16)
            try container.encodeIfPresent(some(UInt32(1)), forKey: .uint32)
            try container.encodeIfPresent(some(UInt64(1)), forKey: .uint64)
        }

        private func encodeAlone(to encoder: any Encoder) throws {
            var container = encoder.unkeyedContainer()
            try container.encode(Alone { try $0.encode(isGreatest) })
            try container.encode(Alone { try $0.encode("ä") })
            try container.encode(Alone { try $0.encode(isGreatest ? 1e300 : Double.leastNonzeroMagnitude) })
            try container.encode(Alone { try $0.encode(isGreatest ? Float.greatestFiniteMagnitude : -1.5) })
            try container.encode(Alone { try $0.encode(bound(Int.self)) })
            try container.encode(Alone { try $0.encode(bound(Int8.self)) })
            try container.encode(Alone { try $0.encode(bound(Int16.self)) })
            try container.encode(Alone { try $0.encode(bound(Int32.self)) })
            try container.encode(Alone { try $0.encode(bound(Int64.self)) })
            try container.encode(Alone { try $0.encode(bound(UInt.self)) })
            try container.encode(Alone { try $0.encode(bound(UInt8.self)) })
            try container.encode(Alone { try $0.encode(bound(UInt16.self)) })
            try container.encode(Alone { try $0.encode(bound(UInt32.self)) })
            try container.encode(Alone { try $0.encode(bound(UInt64.self)) })
            try container.encode(Alone { try $0.encodeNil() })
        }
    }

    @Test(arguments: Row.Place.allCases, [true, false])
    func `each scalar is written as Foundation writes it`(place: Row.Place, isGreatest: Bool) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]

        try expectSame(Row(place: place, isGreatest: isGreatest), with: encoder)
    }

    /// A number that JSON does not have, in the place and the type that its row names.
    struct Strange: Sendable, Encodable {
        let place: Row.Place
        let isFloat: Bool
        let value: Double

        func encode(to encoder: any Encoder) throws {
            switch place {
            case .members:
                var container = encoder.container(keyedBy: Row.Key.self)
                try isFloat ? container.encode(Float(value), forKey: .float) : container.encode(value, forKey: .float)
            case .elements:
                var container = encoder.unkeyedContainer()
                try isFloat ? container.encode(Float(value)) : container.encode(value)
            case .optionals:
                var container = encoder.container(keyedBy: Row.Key.self)
                try isFloat
                    ? container.encodeIfPresent(Float(value), forKey: .float)
                    : container.encodeIfPresent(value, forKey: .float)
            case .alone:
                var container = encoder.singleValueContainer()
                try isFloat ? container.encode(Float(value)) : container.encode(value)
            }
        }
    }

    @Test(arguments: Row.Place.allCases, [Double.infinity, -.infinity, .nan])
    func `a number that JSON does not have is an error, or the text for it`(place: Row.Place, value: Double) throws {
        let encoder = JSONEncoder()
        for isFloat in [true, false] {
            let strange = Strange(place: place, isFloat: isFloat, value: value)
            let direct = try #require(DirectJSONEncoder(standingInFor: encoder))
            #expect(throws: (any Error).self) { try encoder.encode(strange) }
            // What it cannot encode it leaves to Foundation, which then throws.
            #expect(direct.encodeDirectly(strange) == nil)
        }

        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "+∞",
            negativeInfinity: "-∞",
            nan: "none"
        )
        for isFloat in [true, false] where DirectJSONEncoder(standingInFor: encoder) != nil {
            try expectSame(Strange(place: place, isFloat: isFloat, value: value), with: encoder)
        }
    }
}
