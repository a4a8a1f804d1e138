// SPDX-License-Identifier: MIT

// The scalars of other containers have requirements of their own.
extension ScriptedModel {
    static func decode(
        _ type: Bool.Type,
        _ container: inout any UnkeyedDecodingContainer,
        _ script: Script
    ) throws {
        if script.chance(1, of: 2) {
            try script.attempt("decode Bool") { try container.decode(type) }
        } else {
            try script.attempt("decodeIfPresent Bool") { try container.decodeIfPresent(type) }
        }
    }

    static func decode(_ type: Bool.Type, _ container: any SingleValueDecodingContainer, _ script: Script) throws {
        try script.attempt("decode Bool") { try container.decode(type) }
    }

    static func decode(
        _ type: String.Type,
        _ container: inout any UnkeyedDecodingContainer,
        _ script: Script
    ) throws {
        if script.chance(1, of: 2) {
            try script.attempt("decode String") { try container.decode(type) }
        } else {
            try script.attempt("decodeIfPresent String") { try container.decodeIfPresent(type) }
        }
    }

    static func decode(_ type: String.Type, _ container: any SingleValueDecodingContainer, _ script: Script) throws {
        try script.attempt("decode String") { try container.decode(type) }
    }

    static func decode(
        _ type: Double.Type,
        _ container: inout any UnkeyedDecodingContainer,
        _ script: Script
    ) throws {
        if script.chance(1, of: 2) {
            try script.attempt("decode Double") { try container.decode(type) }
        } else {
            try script.attempt("decodeIfPresent Double") { try container.decodeIfPresent(type) }
        }
    }

    static func decode(_ type: Double.Type, _ container: any SingleValueDecodingContainer, _ script: Script) throws {
        try script.attempt("decode Double") { try container.decode(type) }
    }

    static func decode(
        _ type: Float.Type,
        _ container: inout any UnkeyedDecodingContainer,
        _ script: Script
    ) throws {
        if script.chance(1, of: 2) {
            try script.attempt("decode Float") { try container.decode(type) }
        } else {
            try script.attempt("decodeIfPresent Float") { try container.decodeIfPresent(type) }
        }
    }

    static func decode(_ type: Float.Type, _ container: any SingleValueDecodingContainer, _ script: Script) throws {
        try script.attempt("decode Float") { try container.decode(type) }
    }

    static func decode(
        _ type: Int.Type,
        _ container: inout any UnkeyedDecodingContainer,
        _ script: Script
    ) throws {
        if script.chance(1, of: 2) {
            try script.attempt("decode Int") { try container.decode(type) }
        } else {
            try script.attempt("decodeIfPresent Int") { try container.decodeIfPresent(type) }
        }
    }

    static func decode(_ type: Int.Type, _ container: any SingleValueDecodingContainer, _ script: Script) throws {
        try script.attempt("decode Int") { try container.decode(type) }
    }

    static func decode(
        _ type: Int8.Type,
        _ container: inout any UnkeyedDecodingContainer,
        _ script: Script
    ) throws {
        if script.chance(1, of: 2) {
            try script.attempt("decode Int8") { try container.decode(type) }
        } else {
            try script.attempt("decodeIfPresent Int8") { try container.decodeIfPresent(type) }
        }
    }

    static func decode(_ type: Int8.Type, _ container: any SingleValueDecodingContainer, _ script: Script) throws {
        try script.attempt("decode Int8") { try container.decode(type) }
    }

    static func decode(
        _ type: Int16.Type,
        _ container: inout any UnkeyedDecodingContainer,
        _ script: Script
    ) throws {
        if script.chance(1, of: 2) {
            try script.attempt("decode Int16") { try container.decode(type) }
        } else {
            try script.attempt("decodeIfPresent Int16") { try container.decodeIfPresent(type) }
        }
    }

    static func decode(_ type: Int16.Type, _ container: any SingleValueDecodingContainer, _ script: Script) throws {
        try script.attempt("decode Int16") { try container.decode(type) }
    }

    static func decode(
        _ type: Int32.Type,
        _ container: inout any UnkeyedDecodingContainer,
        _ script: Script
    ) throws {
        if script.chance(1, of: 2) {
            try script.attempt("decode Int32") { try container.decode(type) }
        } else {
            try script.attempt("decodeIfPresent Int32") { try container.decodeIfPresent(type) }
        }
    }

    static func decode(_ type: Int32.Type, _ container: any SingleValueDecodingContainer, _ script: Script) throws {
        try script.attempt("decode Int32") { try container.decode(type) }
    }

    static func decode(
        _ type: Int64.Type,
        _ container: inout any UnkeyedDecodingContainer,
        _ script: Script
    ) throws {
        if script.chance(1, of: 2) {
            try script.attempt("decode Int64") { try container.decode(type) }
        } else {
            try script.attempt("decodeIfPresent Int64") { try container.decodeIfPresent(type) }
        }
    }

    static func decode(_ type: Int64.Type, _ container: any SingleValueDecodingContainer, _ script: Script) throws {
        try script.attempt("decode Int64") { try container.decode(type) }
    }

    static func decode(
        _ type: Int128.Type,
        _ container: inout any UnkeyedDecodingContainer,
        _ script: Script
    ) throws {
        if script.chance(1, of: 2) {
            try script.attempt("decode Int128") { try container.decode(type) }
        } else {
            try script.attempt("decodeIfPresent Int128") { try container.decodeIfPresent(type) }
        }
    }

    static func decode(_ type: Int128.Type, _ container: any SingleValueDecodingContainer, _ script: Script) throws {
        try script.attempt("decode Int128") { try container.decode(type) }
    }

    static func decode(
        _ type: UInt.Type,
        _ container: inout any UnkeyedDecodingContainer,
        _ script: Script
    ) throws {
        if script.chance(1, of: 2) {
            try script.attempt("decode UInt") { try container.decode(type) }
        } else {
            try script.attempt("decodeIfPresent UInt") { try container.decodeIfPresent(type) }
        }
    }

    static func decode(_ type: UInt.Type, _ container: any SingleValueDecodingContainer, _ script: Script) throws {
        try script.attempt("decode UInt") { try container.decode(type) }
    }

    static func decode(
        _ type: UInt8.Type,
        _ container: inout any UnkeyedDecodingContainer,
        _ script: Script
    ) throws {
        if script.chance(1, of: 2) {
            try script.attempt("decode UInt8") { try container.decode(type) }
        } else {
            try script.attempt("decodeIfPresent UInt8") { try container.decodeIfPresent(type) }
        }
    }

    static func decode(_ type: UInt8.Type, _ container: any SingleValueDecodingContainer, _ script: Script) throws {
        try script.attempt("decode UInt8") { try container.decode(type) }
    }

    static func decode(
        _ type: UInt16.Type,
        _ container: inout any UnkeyedDecodingContainer,
        _ script: Script
    ) throws {
        if script.chance(1, of: 2) {
            try script.attempt("decode UInt16") { try container.decode(type) }
        } else {
            try script.attempt("decodeIfPresent UInt16") { try container.decodeIfPresent(type) }
        }
    }

    static func decode(_ type: UInt16.Type, _ container: any SingleValueDecodingContainer, _ script: Script) throws {
        try script.attempt("decode UInt16") { try container.decode(type) }
    }

    static func decode(
        _ type: UInt32.Type,
        _ container: inout any UnkeyedDecodingContainer,
        _ script: Script
    ) throws {
        if script.chance(1, of: 2) {
            try script.attempt("decode UInt32") { try container.decode(type) }
        } else {
            try script.attempt("decodeIfPresent UInt32") { try container.decodeIfPresent(type) }
        }
    }

    static func decode(_ type: UInt32.Type, _ container: any SingleValueDecodingContainer, _ script: Script) throws {
        try script.attempt("decode UInt32") { try container.decode(type) }
    }

    static func decode(
        _ type: UInt64.Type,
        _ container: inout any UnkeyedDecodingContainer,
        _ script: Script
    ) throws {
        if script.chance(1, of: 2) {
            try script.attempt("decode UInt64") { try container.decode(type) }
        } else {
            try script.attempt("decodeIfPresent UInt64") { try container.decodeIfPresent(type) }
        }
    }

    static func decode(_ type: UInt64.Type, _ container: any SingleValueDecodingContainer, _ script: Script) throws {
        try script.attempt("decode UInt64") { try container.decode(type) }
    }

    static func decode(
        _ type: UInt128.Type,
        _ container: inout any UnkeyedDecodingContainer,
        _ script: Script
    ) throws {
        if script.chance(1, of: 2) {
            try script.attempt("decode UInt128") { try container.decode(type) }
        } else {
            try script.attempt("decodeIfPresent UInt128") { try container.decodeIfPresent(type) }
        }
    }

    static func decode(_ type: UInt128.Type, _ container: any SingleValueDecodingContainer, _ script: Script) throws {
        try script.attempt("decode UInt128") { try container.decode(type) }
    }
}
