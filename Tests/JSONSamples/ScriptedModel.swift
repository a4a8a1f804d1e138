// SPDX-License-Identifier: MIT

import RestEssentials

/// A model that makes the requests of a script to a decoder, and records the results.
package struct ScriptedModel: Decodable {
    package init(from decoder: any Decoder) throws {
        guard let script = decoder.userInfo[.script] as? Script else {
            throw SampleError(text: "no script")
        }
        guard script.step() else {
            return
        }
        script.note("at \(ErrorText.path(decoder.codingPath))")
        for _ in 0..<2 {
            switch script.random(8) {
            case 0...3: try Self.decodeKeyed(decoder, script)
            case 4...5: try Self.decodeUnkeyed(decoder, script)
            default: try Self.decodeSingle(decoder, script)
            }
        }
        if script.chance(1, of: 60) {
            throw SampleError(text: ErrorText.path(decoder.codingPath))
        }
        if script.chance(1, of: 60) {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "as the model says")
            )
        }
    }

    // MARK: - Keyed

    private static func decodeKeyed(_ decoder: any Decoder, _ script: Script) throws {
        var container: KeyedDecodingContainer<SampleKey>?
        try script.attempt("keyed", passesOn: false) { container = try decoder.container(keyedBy: SampleKey.self) }
        guard let container else {
            return
        }
        try decodeMembers(container, script)
    }

    private static func decodeMembers(_ container: KeyedDecodingContainer<SampleKey>, _ script: Script) throws {
        let keys = container.allKeys.sorted { $0.stringValue.utf8.lexicographicallyPrecedes($1.stringValue.utf8) }
        script.note("keys \(keys.map(\.stringValue)) at \(ErrorText.path(container.codingPath))")
        for _ in 0..<min(keys.count * 2 + 2, 12) {
            guard script.step() else {
                return
            }
            let key =
                keys.isEmpty || script.chance(1, of: 5)
                ? SampleKey(stringValue: SampleKey.names[script.random(SampleKey.names.count)])
                : keys[script.random(keys.count)]
            switch script.random(14) {
            case 0: script.note("contains \(key.stringValue) \(container.contains(key))")
            case 1: try script.attempt("nil \(key.stringValue)") { try container.decodeNil(forKey: key) }
            case 2: try decodeNested(key, container, script)
            case 3:
                var nested: (any UnkeyedDecodingContainer)?
                try script.attempt("nestedUnkeyed") { nested = try container.nestedUnkeyedContainer(forKey: key) }
                if var nested { try decodeElements(&nested, script) }
            case 4:
                let decoder =
                    script.chance(1, of: 2) ? try container.superDecoder() : try container.superDecoder(forKey: key)
                try script.attempt("super") { try ScriptedModel(from: decoder) }
            default: try decodeMember(key, container, script)
            }
        }
    }

    private static func decodeNested(
        _ key: SampleKey,
        _ container: KeyedDecodingContainer<SampleKey>,
        _ script: Script
    ) throws {
        var nested: KeyedDecodingContainer<SampleKey>?
        try script.attempt("nested \(key.stringValue)") {
            nested = try container.nestedContainer(keyedBy: SampleKey.self, forKey: key)
        }
        if let nested { try decodeMembers(nested, script) }
    }

    static func decode<Value: Decodable>(
        _ type: Value.Type,
        _ key: SampleKey,
        _ container: KeyedDecodingContainer<SampleKey>,
        _ script: Script
    ) throws {
        let name = "\(type) \(key.stringValue)"
        if script.chance(1, of: 2) {
            try script.attempt("decode \(name)") { try container.decode(type, forKey: key) }
        } else {
            try script.attempt("decodeIfPresent \(name)") { try container.decodeIfPresent(type, forKey: key) }
        }
    }

    // MARK: - Unkeyed

    private static func decodeUnkeyed(_ decoder: any Decoder, _ script: Script) throws {
        var container: (any UnkeyedDecodingContainer)?
        try script.attempt("unkeyed", passesOn: false) { container = try decoder.unkeyedContainer() }
        guard var container else {
            return
        }
        try decodeElements(&container, script)
    }

    private static func decodeElements(_ container: inout any UnkeyedDecodingContainer, _ script: Script) throws {
        script.note("unkeyed at \(ErrorText.path(container.codingPath))")
        for _ in 0..<min((container.count ?? 0) + 2, 10) {
            guard script.step() else {
                return
            }
            script.note("\(container.currentIndex) of \(String(describing: container.count)) \(container.isAtEnd)")
            switch script.random(12) {
            case 0: try script.attempt("nil") { try container.decodeNil() }
            case 1:
                var nested: KeyedDecodingContainer<SampleKey>?
                try script.attempt("nested") { nested = try container.nestedContainer(keyedBy: SampleKey.self) }
                if let nested { try decodeMembers(nested, script) }
            case 2:
                var nested: (any UnkeyedDecodingContainer)?
                try script.attempt("nestedUnkeyed") { nested = try container.nestedUnkeyedContainer() }
                if var nested { try decodeElements(&nested, script) }
            case 3:
                var decoder: (any Decoder)?
                try script.attempt("super", passesOn: false) {
                    decoder = try container.superDecoder()
                    return true
                }
                if let decoder { try script.attempt("of super") { try ScriptedModel(from: decoder) } }
            default: try decodeElement(&container, script)
            }
        }
    }

    static func decode<Value: Decodable>(
        _ type: Value.Type,
        _ container: inout any UnkeyedDecodingContainer,
        _ script: Script
    ) throws {
        if script.chance(1, of: 2) {
            try script.attempt("decode \(type)") { try container.decode(type) }
        } else {
            try script.attempt("decodeIfPresent \(type)") { try container.decodeIfPresent(type) }
        }
    }

    // MARK: - Single

    private static func decodeSingle(_ decoder: any Decoder, _ script: Script) throws {
        let container = try decoder.singleValueContainer()
        script.note("single at \(ErrorText.path(container.codingPath)) \(container.decodeNil())")
        try decodeSingle(container, script)
    }

    static func decode<Value: Decodable>(
        _ type: Value.Type,
        _ container: any SingleValueDecodingContainer,
        _ script: Script
    ) throws {
        try script.attempt("decode \(type)") { try container.decode(type) }
    }
}
