// SPDX-License-Identifier: MIT

extension TapeDocument {
    @inline(__always)
    func string(_ word: TapeWord) -> String {
        guard word.rawKind != TapeWord.Kind.escapedString.rawValue else {
            return unescapedString(word)
        }
        let source = unsafe bytes(word)
        // The scanner checked that the bytes are UTF-8. Strings of up to 15 bytes need no allocation.
        guard source.count <= 15 else {
            return unsafe String(decoding: source, as: UTF8.self)
        }
        return unsafe String(unsafeUninitializedCapacity: source.count) { target in
            guard let start = target.baseAddress, let text = source.baseAddress else {
                return 0
            }
            unsafe start.update(from: text, count: source.count)
            return source.count
        }
    }

    /// The text of a scalar.
    ///
    /// - Safety: Valid as long as the document.
    @inline(__always)
    @unsafe func bytes(_ word: TapeWord) -> UnsafeBufferPointer<UInt8> {
        unsafe UnsafeBufferPointer(start: text + word.position, count: word.count)
    }

    @inline(never)
    private func unescapedString(_ word: TapeWord) -> String {
        let source = unsafe bytes(word)
        // An escape is at least as long as the character that it represents.
        return unsafe String(unsafeUninitializedCapacity: source.count) { target in
            var read = 0
            var written = 0
            while read < source.count {
                let byte = unsafe source[read]
                guard byte == UInt8(ascii: "\\") else {
                    unsafe target[written] = byte
                    read += 1
                    written += 1
                    continue
                }
                guard unsafe source[read + 1] == UInt8(ascii: "u") else {
                    unsafe target[written] = Self.unescaped(source[read + 1])
                    read += 2
                    written += 1
                    continue
                }
                var scalar = UInt32(unsafe Self.codeUnit(in: source, at: read + 2))
                read += 6
                // The scanner checked that a trail surrogate follows.
                if scalar & 0xFC00 == 0xD800 {
                    let trail = UInt32(unsafe Self.codeUnit(in: source, at: read + 2))
                    scalar = 0x10000 + (scalar & 0x3FF) << 10 + trail & 0x3FF
                    read += 6
                }
                for unit in UTF8.encode(Unicode.Scalar(scalar) ?? "\u{FFFD}") ?? UTF8.encodedReplacementCharacter {
                    unsafe target[written] = unit
                    written += 1
                }
            }
            return written
        }
    }

    private static func unescaped(_ byte: UInt8) -> UInt8 {
        switch byte {
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        default: byte
        }
    }

    private static func codeUnit(in source: UnsafeBufferPointer<UInt8>, at offset: Int) -> UInt16 {
        // The scanner checked the four digits; the slice traps if they were not within the string.
        guard let start = unsafe UnsafeBufferPointer(rebasing: source[offset..<offset + 4]).baseAddress else {
            return 0xFFFD
        }
        return unsafe EscapedCodeUnit.read(at: start) ?? 0xFFFD
    }
}
