// SPDX-License-Identifier: MIT

import RestEssentials

/// A value that encodes the contents of a script, in every way that `Codable` allows.
package struct ScriptedValue: Encodable {
    private let depth: Int

    package init() {
        depth = 0
    }

    private init(depth: Int) {
        self.depth = depth
    }

    package func encode(to encoder: any Encoder) throws {
        guard let script = encoder.userInfo[.script] as? Script else {
            throw SampleError(text: "no script")
        }
        script.note("at \(ErrorText.path(encoder.codingPath))")
        guard depth < 5, script.step() else {
            return try script.random(9).encode(to: encoder)
        }
        switch script.random(12) {
        case 0...4:
            var container = encoder.container(keyedBy: SampleKey.self)
            try encodeMembers(&container, script)
            if script.chance(1, of: 4) {
                var second = encoder.container(keyedBy: SampleKey.self)
                try encodeMembers(&second, script, prefix: "second")
                try container.encode(1, forKey: SampleKey(stringValue: "last"))
            }
        case 5...7:
            var container = encoder.unkeyedContainer()
            try encodeElements(&container, script)
        case 8:
            var container = encoder.singleValueContainer()
            script.note("single at \(ErrorText.path(container.codingPath))")
            try container.encode(ScriptedValue(depth: depth + 1))
        case 9 where script.chance(1, of: 6):
            break
        case 10 where script.chance(1, of: 12):
            throw SampleError(text: ErrorText.path(encoder.codingPath))
        default:
            var container = encoder.singleValueContainer()
            try Self.encodeScalar(&container, script)
        }
    }

    private static func encodeScalar(_ container: inout any SingleValueEncodingContainer, _ script: Script) throws {
        switch script.random(9) {
        case 0: try container.encodeNil()
        case 1: try container.encode(script.double())
        case 2: try container.encode(Float(script.random(1000)) / 8)
        case 3: try container.encode("te/xt")
        case 4: try container.encode(UInt64.max - UInt64(script.random(9)))
        case 5: try container.encode(Int128.min + Int128(script.random(9)))
        case 6: try container.encode(date(script))
        case 7: try container.encode(script.chance(1, of: 9) ? Double.infinity : 0.5)
        default: try container.encode(["a": script.random(9), "B": 1])
        }
    }

    private static func date(_ script: Script) -> Date {
        Date(timeIntervalSince1970: Double(script.random(2_000_000_000)) + 0.25)
    }

    // MARK: - Keyed

    private func encodeMembers(
        _ container: inout KeyedEncodingContainer<SampleKey>,
        _ script: Script,
        prefix: String = ""
    ) throws {
        script.note("keyed at \(ErrorText.path(container.codingPath))")
        var nested: [KeyedEncodingContainer<SampleKey>] = []
        var arrays: [any UnkeyedEncodingContainer] = []
        // In alternation only now and then: such values are left to Foundation.
        let alternates = script.chance(1, of: 12)
        for place in 0..<script.random(7) {
            let names = SampleKey.names
            let isPlain = script.chance(5, of: 6)
            let name =
                isPlain
                ? "\(["id", "zeta", "alpha", "longKeyName"][script.random(4)])\(place)"
                : names[script.random(names.count)]
            let key = SampleKey(stringValue: prefix + name)
            switch script.random(14) {
            case 0: try container.encodeNil(forKey: key)
            case 1: try container.encode(script.double(), forKey: key)
            case 2: try container.encode(date(script), forKey: key)
            case 3: try container.encode([date(script)], forKey: key)
            case 4: try container.encode(Self.text(script), forKey: key)
            case 5: try container.encodeIfPresent(script.chance(1, of: 2) ? nil : 7, forKey: key)
            case 6: try container.encode(["camelKey": 1, "a": 2], forKey: key)
            case 7:
                let key = SampleKey(stringValue: "\(prefix)nest\(place)")
                var inner = container.nestedContainer(keyedBy: SampleKey.self, forKey: key)
                try inner.encode(place, forKey: SampleKey(stringValue: "place"))
                if depth < 4 {
                    try ScriptedValue(depth: depth + 2).encodeMembers(&inner, script)
                }
                if alternates { nested.append(inner) }
            case 8:
                let key = SampleKey(stringValue: "\(prefix)list\(place)")
                var inner = container.nestedUnkeyedContainer(forKey: key)
                try ScriptedValue(depth: depth + 2).encodeElements(&inner, script)
                if alternates { arrays.append(inner) }
            case 9:
                let key = SampleKey(stringValue: "\(prefix)super\(place)")
                try ScriptedValue(depth: depth + 1).encode(to: container.superEncoder(forKey: key))
            case 10 where prefix.isEmpty:
                try ScriptedValue(depth: depth + 1).encode(to: container.superEncoder())
            default: try container.encode(ScriptedValue(depth: depth + 1), forKey: key)
            }
            for place in nested.indices where script.chance(1, of: 3) {
                try nested[place].encode("late", forKey: SampleKey(stringValue: "late\(script.random(50))"))
            }
            for place in arrays.indices where script.chance(1, of: 3) {
                try arrays[place].encode("late")
            }
        }
    }

    private func date(_ script: Script) -> Date { Self.date(script) }

    private static func text(_ script: Script) -> String {
        [
            "", "plain", "quo\"te", "back\\slash", "sl/ash", "\n\r\t\u{8}\u{C}\u{0}\u{1B}", "日本語のテキスト", "exactly8",
            "longer than eight \" bytes",
        ][script.random(9)]
    }

    // MARK: - Unkeyed

    private func encodeElements(_ container: inout any UnkeyedEncodingContainer, _ script: Script) throws {
        script.note("unkeyed at \(ErrorText.path(container.codingPath))")
        for _ in 0..<script.random(6) {
            script.note("count \(container.count)")
            switch script.random(10) {
            case 0: try container.encodeNil()
            case 1: try container.encode(script.double())
            case 2: try container.encode(date(script))
            case 3: try container.encode(Self.text(script))
            case 4: try container.encode([1.5, 2, script.double()])
            case 5:
                var inner = container.nestedContainer(keyedBy: SampleKey.self)
                if depth < 4 {
                    try ScriptedValue(depth: depth + 2).encodeMembers(&inner, script)
                }
            case 6:
                var inner = container.nestedUnkeyedContainer()
                try inner.encode([Int8(script.random(100))])
                try inner.encode(contentsOf: ["a", "b"])
            case 7: try ScriptedValue(depth: depth + 1).encode(to: container.superEncoder())
            default: try container.encode(ScriptedValue(depth: depth + 1))
            }
        }
    }
}
