// SPDX-License-Identifier: MIT

/// A word of the tape: the kind of a value and where its text or its end is.
///
/// A scalar takes one word: kind, length of its text in bytes, offset of its text. A container takes more, and its
/// members follow; the members of an object are a key and a value in turn.
///
/// | word | array and object |
/// |---|---|
/// | 0 | kind, number of members, tape index behind the last member |
/// | 1 | tape index of the enclosing container (high half), place among its members (low half) |
/// | 2 | objects only: where the search for a key starts (low half), whether the keys were checked (bit 63) |
struct TapeWord: Equatable {
    enum Kind: UInt8 {
        case null
        case `false`
        case `true`
        /// A number without fraction and exponent.
        case integer
        /// A number with fraction or exponent.
        case decimal
        /// A string of ASCII characters without escapes.
        case plainString
        /// A string without escapes that has other characters than ASCII.
        case unicodeString
        /// A string with escapes.
        case escapedString
        case array
        case object
    }

    /// The longest text that offsets and lengths can represent.
    static let limit = 1 << 28 - 1
    /// Stands for the container that encloses the whole document.
    static let outermost = Int(Int32.max)
    static let arrayHeader = 2
    static let objectHeader = 3

    let bits: UInt64

    @inline(__always)
    init(bits: UInt64) {
        self.bits = bits
    }

    /// `count` is the length of the text or the number of members, `position` the offset of the text or the tape index
    /// behind the last member.
    @inline(__always)
    init(_ kind: Kind, count: Int, position: Int) {
        bits =
            UInt64(kind.rawValue) &<< 60 | UInt64(truncatingIfNeeded: count) &<< 32
            | UInt64(truncatingIfNeeded: position)
    }

    @inline(__always) var rawKind: UInt8 { UInt8(truncatingIfNeeded: bits &>> 60) }

    @inline(__always) var kind: Kind { Kind(rawValue: rawKind) ?? .null }

    @inline(__always) var count: Int { Int(truncatingIfNeeded: bits &>> 32) & (1 &<< 28 - 1) }

    @inline(__always) var position: Int { Int(truncatingIfNeeded: bits & 0xFFFF_FFFF) }

    @inline(__always) var isNull: Bool { rawKind == Kind.null.rawValue }

    @inline(__always) var isPlainString: Bool { rawKind == Kind.plainString.rawValue }

    @inline(__always) var isObject: Bool { rawKind == Kind.object.rawValue }

    @inline(__always) var isArray: Bool { rawKind == Kind.array.rawValue }

    @inline(__always) var isString: Bool {
        rawKind &- Kind.plainString.rawValue <= Kind.escapedString.rawValue - Kind.plainString.rawValue
    }

    @inline(__always) var isContainer: Bool { rawKind >= Kind.array.rawValue }
}
