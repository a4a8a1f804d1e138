// SPDX-License-Identifier: MIT

/// Looks for any of several words in a name, in upper or lower case, in one pass over the bytes of the name.
struct NameWords {
    /// The words, sorted by the place of their last byte.
    private let words: [Word]

    /// For each place of a last byte, the index of its first word, and at the end the number of words.
    private let starts: [Int]

    /// Creates a search for words of at most 16 ASCII characters in lower case, of at most eight kinds.
    ///
    /// A word may be of several kinds.
    init(_ kinds: [String]...) {
        precondition(kinds.count <= 8, "there are more kinds of words than bits")
        let sorted = kinds.enumerated()
            .flatMap { index, texts in texts.map { Word($0, kind: 1 << UInt8(index)) } }
            .sorted { $0.place < $1.place }
        words = sorted
        starts = (0...Word.placeCount).map { place in sorted.count(where: { $0.place < place }) }
    }

    func occur(in name: some StringProtocol) -> Bool {
        kinds(in: name) != 0
    }

    /// Returns the kinds of which at least one word occurs in a name, one bit for each; the lowest stands for the first
    /// kind.
    func kinds(in name: some StringProtocol) -> UInt8 {
        guard name.utf8.allSatisfy({ $0 < 0x80 }) else {
            // Some characters beyond ASCII have an ASCII letter as their lower case.
            return kinds(inBytes: name.lowercased().utf8)
        }
        return kinds(inBytes: name.utf8)
    }

    private func kinds(inBytes bytes: some Sequence<UInt8>) -> UInt8 {
        // The last 16 bytes, the latest of them lowest.
        var window: UInt128 = 0
        var found: UInt8 = 0
        for byte in bytes {
            let isCapital = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
            window = window << 8 | UInt128(isCapital ? byte | 0x20 : byte)
            let place = Word.place(endingIn: byte)
            for index in starts[place]..<starts[place + 1] where window & words[index].mask == words[index].bytes {
                found |= words[index].kind
            }
        }
        return found
    }

    /// A word as it looks in the window when its last byte has come in.
    private struct Word {
        /// The number of places of last bytes: a letter has the same one in upper and lower case.
        static let placeCount = 32

        let bytes: UInt128
        let mask: UInt128
        let kind: UInt8
        let place: Int

        init(_ word: String, kind: UInt8) {
            precondition((1...16).contains(word.utf8.count), "'\(word)' does not fit into a window of 16 bytes")
            bytes = word.utf8.reduce(0) { $0 << 8 | UInt128($1) }
            mask = word.utf8.reduce(0) { mask, _ in mask << 8 | 0xFF }
            place = Self.place(endingIn: word.utf8.last ?? 0)
            self.kind = kind
        }

        static func place(endingIn byte: UInt8) -> Int {
            Int(byte & 0x1F)
        }
    }
}

extension NameWords {
    /// Returns the words of a name in lower case, as in `max_tokens`, `max-tokens`, `maxTokens` and `SSHKey`.
    static func split(_ name: some StringProtocol) -> [String] {
        let characters = Array(name)
        var words = [""]
        for (index, character) in characters.enumerated() {
            guard character.isLetter || character.isNumber else {
                words.append("")
                continue
            }
            if character.isUppercase, index > 0 {
                let before = characters[index - 1]
                // The last capital of several belongs to the word that follows.
                let isFollowed = index + 1 < characters.count && characters[index + 1].isLowercase
                let endsAcronym = before.isUppercase && isFollowed
                if before.isLowercase || before.isNumber || endsAcronym {
                    words.append("")
                }
            }
            words[words.count - 1] += character.lowercased()
        }
        return words.filter { !$0.isEmpty }
    }
}
