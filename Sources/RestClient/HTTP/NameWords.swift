// SPDX-License-Identifier: MIT

/// Looks for any of several words in a name, in upper or lower case, in one pass over the bytes of the name.
struct NameWords {
    private let words: [Word]

    /// Creates a search.
    ///
    /// - Parameter words: The words, each of at most 16 ASCII characters in lower case.
    init(_ words: String...) {
        self.words = words.map(Word.init)
    }

    /// Returns true if at least one of the words occurs in a name.
    func occur(in name: some StringProtocol) -> Bool {
        guard name.utf8.allSatisfy({ $0 < 0x80 }) else {
            // Some characters beyond ASCII have an ASCII letter as their lower case.
            return occur(inBytes: name.lowercased().utf8)
        }
        return occur(inBytes: name.utf8)
    }

    private func occur(inBytes bytes: some Sequence<UInt8>) -> Bool {
        // The last 16 bytes, the latest of them lowest.
        var window: UInt128 = 0
        for byte in bytes {
            let isCapital = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
            window = window << 8 | UInt128(isCapital ? byte | 0x20 : byte)
            for word in words where window & word.mask == word.bytes {
                return true
            }
        }
        return false
    }

    /// A word as it looks in the window when its last byte has come in.
    private struct Word {
        let bytes: UInt128
        let mask: UInt128

        init(_ word: String) {
            precondition((1...16).contains(word.utf8.count), "'\(word)' does not fit into a window of 16 bytes")
            bytes = word.utf8.reduce(0) { $0 << 8 | UInt128($1) }
            mask = word.utf8.reduce(0) { mask, _ in mask << 8 | 0xFF }
        }
    }
}
