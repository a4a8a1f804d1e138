// SPDX-License-Identifier: MIT

// The scalars of keyed containers have requirements of their own.
extension ScriptedModel {
    static func decode(
        _ type: Bool.Type,
        _ key: SampleKey,
        _ container: KeyedDecodingContainer<SampleKey>,
        _ script: Script
    ) throws {
        if script.chance(1, of: 2) {
            try script.attempt("decode Bool \(key.stringValue)") { try container.decode(type, forKey: key) }
        } else {
            try script.attempt("decodeIfPresent Bool \(key.stringValue)") {
                try container.decodeIfPresent(type, forKey: key)
            }
        }
    }

    static func decode(
        _ type: String.Type,
        _ key: SampleKey,
        _ container: KeyedDecodingContainer<SampleKey>,
        _ script: Script
    ) throws {
        if script.chance(1, of: 2) {
            try script.attempt("decode String \(key.stringValue)") { try container.decode(type, forKey: key) }
        } else {
            try script.attempt("decodeIfPresent String \(key.stringValue)") {
                try container.decodeIfPresent(type, forKey: key)
            }
        }
    }

    static func decode(
        _ type: Double.Type,
        _ key: SampleKey,
        _ container: KeyedDecodingContainer<SampleKey>,
        _ script: Script
    ) throws {
        if script.chance(1, of: 2) {
            try script.attempt("decode Double \(key.stringValue)") { try container.decode(type, forKey: key) }
        } else {
            try script.attempt("decodeIfPresent Double \(key.stringValue)") {
                try container.decodeIfPresent(type, forKey: key)
            }
        }
    }

    static func decode(
        _ type: Float.Type,
        _ key: SampleKey,
        _ container: KeyedDecodingContainer<SampleKey>,
        _ script: Script
    ) throws {
        if script.chance(1, of: 2) {
            try script.attempt("decode Float \(key.stringValue)") { try container.decode(type, forKey: key) }
        } else {
            try script.attempt("decodeIfPresent Float \(key.stringValue)") {
                try container.decodeIfPresent(type, forKey: key)
            }
        }
    }

    static func decode(
        _ type: Int.Type,
        _ key: SampleKey,
        _ container: KeyedDecodingContainer<SampleKey>,
        _ script: Script
    ) throws {
        if script.chance(1, of: 2) {
            try script.attempt("decode Int \(key.stringValue)") { try container.decode(type, forKey: key) }
        } else {
            try script.attempt("decodeIfPresent Int \(key.stringValue)") {
                try container.decodeIfPresent(type, forKey: key)
            }
        }
    }

    static func decode(
        _ type: Int8.Type,
        _ key: SampleKey,
        _ container: KeyedDecodingContainer<SampleKey>,
        _ script: Script
    ) throws {
        if script.chance(1, of: 2) {
            try script.attempt("decode Int8 \(key.stringValue)") { try container.decode(type, forKey: key) }
        } else {
            try script.attempt("decodeIfPresent Int8 \(key.stringValue)") {
                try container.decodeIfPresent(type, forKey: key)
            }
        }
    }

    static func decode(
        _ type: Int16.Type,
        _ key: SampleKey,
        _ container: KeyedDecodingContainer<SampleKey>,
        _ script: Script
    ) throws {
        if script.chance(1, of: 2) {
            try script.attempt("decode Int16 \(key.stringValue)") { try container.decode(type, forKey: key) }
        } else {
            try script.attempt("decodeIfPresent Int16 \(key.stringValue)") {
                try container.decodeIfPresent(type, forKey: key)
            }
        }
    }

    static func decode(
        _ type: Int32.Type,
        _ key: SampleKey,
        _ container: KeyedDecodingContainer<SampleKey>,
        _ script: Script
    ) throws {
        if script.chance(1, of: 2) {
            try script.attempt("decode Int32 \(key.stringValue)") { try container.decode(type, forKey: key) }
        } else {
            try script.attempt("decodeIfPresent Int32 \(key.stringValue)") {
                try container.decodeIfPresent(type, forKey: key)
            }
        }
    }

    static func decode(
        _ type: Int64.Type,
        _ key: SampleKey,
        _ container: KeyedDecodingContainer<SampleKey>,
        _ script: Script
    ) throws {
        if script.chance(1, of: 2) {
            try script.attempt("decode Int64 \(key.stringValue)") { try container.decode(type, forKey: key) }
        } else {
            try script.attempt("decodeIfPresent Int64 \(key.stringValue)") {
                try container.decodeIfPresent(type, forKey: key)
            }
        }
    }

    static func decode(
        _ type: Int128.Type,
        _ key: SampleKey,
        _ container: KeyedDecodingContainer<SampleKey>,
        _ script: Script
    ) throws {
        if script.chance(1, of: 2) {
            try script.attempt("decode Int128 \(key.stringValue)") { try container.decode(type, forKey: key) }
        } else {
            try script.attempt("decodeIfPresent Int128 \(key.stringValue)") {
                try container.decodeIfPresent(type, forKey: key)
            }
        }
    }

    static func decode(
        _ type: UInt.Type,
        _ key: SampleKey,
        _ container: KeyedDecodingContainer<SampleKey>,
        _ script: Script
    ) throws {
        if script.chance(1, of: 2) {
            try script.attempt("decode UInt \(key.stringValue)") { try container.decode(type, forKey: key) }
        } else {
            try script.attempt("decodeIfPresent UInt \(key.stringValue)") {
                try container.decodeIfPresent(type, forKey: key)
            }
        }
    }

    static func decode(
        _ type: UInt8.Type,
        _ key: SampleKey,
        _ container: KeyedDecodingContainer<SampleKey>,
        _ script: Script
    ) throws {
        if script.chance(1, of: 2) {
            try script.attempt("decode UInt8 \(key.stringValue)") { try container.decode(type, forKey: key) }
        } else {
            try script.attempt("decodeIfPresent UInt8 \(key.stringValue)") {
                try container.decodeIfPresent(type, forKey: key)
            }
        }
    }

    static func decode(
        _ type: UInt16.Type,
        _ key: SampleKey,
        _ container: KeyedDecodingContainer<SampleKey>,
        _ script: Script
    ) throws {
        if script.chance(1, of: 2) {
            try script.attempt("decode UInt16 \(key.stringValue)") { try container.decode(type, forKey: key) }
        } else {
            try script.attempt("decodeIfPresent UInt16 \(key.stringValue)") {
                try container.decodeIfPresent(type, forKey: key)
            }
        }
    }

    static func decode(
        _ type: UInt32.Type,
        _ key: SampleKey,
        _ container: KeyedDecodingContainer<SampleKey>,
        _ script: Script
    ) throws {
        if script.chance(1, of: 2) {
            try script.attempt("decode UInt32 \(key.stringValue)") { try container.decode(type, forKey: key) }
        } else {
            try script.attempt("decodeIfPresent UInt32 \(key.stringValue)") {
                try container.decodeIfPresent(type, forKey: key)
            }
        }
    }

    static func decode(
        _ type: UInt64.Type,
        _ key: SampleKey,
        _ container: KeyedDecodingContainer<SampleKey>,
        _ script: Script
    ) throws {
        if script.chance(1, of: 2) {
            try script.attempt("decode UInt64 \(key.stringValue)") { try container.decode(type, forKey: key) }
        } else {
            try script.attempt("decodeIfPresent UInt64 \(key.stringValue)") {
                try container.decodeIfPresent(type, forKey: key)
            }
        }
    }

    static func decode(
        _ type: UInt128.Type,
        _ key: SampleKey,
        _ container: KeyedDecodingContainer<SampleKey>,
        _ script: Script
    ) throws {
        if script.chance(1, of: 2) {
            try script.attempt("decode UInt128 \(key.stringValue)") { try container.decode(type, forKey: key) }
        } else {
            try script.attempt("decodeIfPresent UInt128 \(key.stringValue)") {
                try container.decodeIfPresent(type, forKey: key)
            }
        }
    }
}
