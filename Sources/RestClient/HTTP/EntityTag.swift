// SPDX-License-Identifier: MIT

/// An entity tag (RFC 9110, section 8.8.3), compared weakly or strongly.
struct EntityTag: Sendable {
    let isWeak: Bool
    let opaque: Substring

    /// Parses a tag; a tag without quotes is accepted, because some servers send it.
    init?(_ text: some StringProtocol) {
        var rest = FieldList.trimmed(Substring(text))
        // By bytes: a mark behind a quote would make another character of it.
        isWeak = rest.utf8.starts(with: "W/".utf8) || rest.utf8.starts(with: "w/".utf8)
        if isWeak {
            rest = Substring(rest.utf8.dropFirst(2))
        }
        let quote = UInt8(ascii: "\"")
        if rest.utf8.count >= 2, rest.utf8.first == quote, rest.utf8.last == quote {
            rest = Substring(rest.utf8.dropFirst().dropLast())
        }
        guard !rest.isEmpty || text.utf8.contains(quote) else {
            return nil
        }
        opaque = rest
    }

    /// Returns true if two tags identify equivalent representations.
    func matchesWeakly(_ other: EntityTag) -> Bool {
        opaque.utf8.elementsEqual(other.opaque.utf8)
    }

    /// Returns true if two tags identify the same bytes.
    func matchesStrongly(_ other: EntityTag) -> Bool {
        !isWeak && !other.isWeak && matchesWeakly(other)
    }
}
