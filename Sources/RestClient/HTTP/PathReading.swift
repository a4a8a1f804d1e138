// SPDX-License-Identifier: MIT

/// The reading of a path by the most lenient server or gateway on the way.
///
/// A path is sent as it is written, and servers route it differently: some compare bytes, some decode triplets, once or
/// several times, some resolve dot segments, merge slashes, take a backslash for one, or remove parameters. Two paths
/// that any of them take for the same have equal segments here, unless a dot segment leads upwards.
struct PathReading: Hashable {
    /// The segments that are neither empty nor dot segments, in lower case and without parameters.
    let segments: [[UInt8]]
    /// True if a dot segment leads upwards, so that the readers disagree about where the path leads.
    let climbs: Bool

    init(_ path: some StringProtocol) {
        var segments: [[UInt8]] = []
        var climbs = false
        for segment in Self.decoded(path).split(whereSeparator: \.isSlash) {
            let name = segment.prefix { $0 != UInt8(ascii: ";") }
            guard let dots = Self.dots(of: name) else {
                segments.append(name.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 })
                continue
            }
            climbs = climbs || dots > 1
        }
        self.segments = segments
        self.climbs = climbs
    }

    /// Returns the first dot segment of a path, also one that only some readers see; `nil` if there is none.
    static func dotSegment(in path: some StringProtocol) -> String? {
        // Most paths have neither dots nor triplets of them.
        guard path.utf8.contains(where: { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "%") }) else {
            return nil
        }
        return Substring(path).utf8.split(separator: UInt8(ascii: "/")).map { Substring($0) }
            .first { HTTPURL.isDotSegment($0) || PathReading($0).climbs }
            .map { HTTPURL.isDotSegment($0) ? String($0) : ".." }
    }

    // MARK: - Bytes

    /// Returns the number of dots of an empty or a dot segment, around which some systems ignore spaces; `nil` for a
    /// name.
    private static func dots(of segment: some Collection<UInt8>) -> Int? {
        let dots = segment.split(separator: UInt8(ascii: " "))
        guard dots.count <= 1, dots.first?.count ?? 0 <= 2, dots.first?.allSatisfy({ $0 == UInt8(ascii: ".") }) ?? true
        else {
            return nil
        }
        return dots.first?.count ?? 0
    }

    /// Returns the bytes of a path after all triplets are decoded, also those that decoding makes, without control
    /// characters.
    private static func decoded(_ path: some StringProtocol) -> [UInt8] {
        var bytes: [UInt8] = []
        for byte in path.utf8 {
            bytes.append(byte)
            while let (length, byte) = escape(endingIn: bytes) {
                bytes.removeLast(length)
                bytes.append(byte)
            }
            if let last = bytes.last, last < 0x20 || last == 0x7F {
                bytes.removeLast()
            }
        }
        return bytes
    }

    /// Returns the length of the escape with which bytes end, and the byte for which it stands; `nil` if there is none.
    private static func escape(endingIn bytes: [UInt8]) -> (length: Int, byte: UInt8)? {
        func byte(_ offset: Int) -> UInt8 { offset <= bytes.count ? bytes[bytes.count - offset] : 0 }
        if byte(3) == UInt8(ascii: "%"), let high = byte(2).hexadecimalValue, let low = byte(1).hexadecimalValue {
            return (3, high << 4 | low)
        }
        // `%u002e` is not a triplet of RFC 3986, but some servers decode it.
        if byte(6) == UInt8(ascii: "%"), byte(5) | 0x20 == UInt8(ascii: "u"), byte(4) == UInt8(ascii: "0"),
            byte(3) == UInt8(ascii: "0"), let high = byte(2).hexadecimalValue, let low = byte(1).hexadecimalValue
        {
            return (6, high << 4 | low)
        }
        // UTF-8 of more bytes than a character of ASCII has (RFC 3629, section 10).
        let tail = byte(1) & 0x3F
        guard byte(1) & 0xC0 == 0x80 else {
            return nil
        }
        switch (byte(4), byte(3), byte(2)) {
        case (_, _, 0xC0...0xC1): return (2, (byte(2) & 1) << 6 | tail)
        case (_, 0xE0, 0x80...0x81): return (3, (byte(2) & 1) << 6 | tail)
        case (0xF0, 0x80, 0x80...0x81): return (4, (byte(2) & 1) << 6 | tail)
        // The wide and the small forms of dots and slashes, which some systems map to the usual ones.
        case (_, 0xEF, 0xBC) where (0x81...0xBF).contains(byte(1)): return (3, byte(1) - 0x60)
        case (_, 0xEF, 0xBD) where (0x80...0x9E).contains(byte(1)): return (3, byte(1) - 0x20)
        case (_, 0xE2, 0x80) where byte(1) == 0xA4, (_, 0xEF, 0xB9) where byte(1) == 0x92: return (3, UInt8(ascii: "."))
        case (_, 0xEF, 0xB9) where byte(1) == 0xA8: return (3, UInt8(ascii: "\\"))
        default: return nil
        }
    }
}
