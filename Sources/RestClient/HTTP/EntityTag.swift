// SPDX-License-Identifier: MIT

/// An entity tag (RFC 9110, section 8.8.3), compared weakly or strongly.
struct EntityTag: Sendable, Hashable {
    let isWeak: Bool
    /// The text between the quotes.
    let opaque: Substring

    /// Parses a tag; a tag without quotes is accepted, because some servers send it.
    init?(_ text: some StringProtocol) {
        var rest = FieldList.trimmed(Substring(text))
        isWeak = rest.hasPrefix("W/") || rest.hasPrefix("w/")
        if isWeak {
            rest = rest.dropFirst(2)
        }
        if rest.utf8.count >= 2, rest.first == "\"", rest.last == "\"" {
            rest = rest.dropFirst().dropLast()
        }
        guard !rest.isEmpty || text.contains("\"") else {
            return nil
        }
        opaque = rest
    }

    /// Returns true if two tags identify equivalent representations.
    func matchesWeakly(_ other: EntityTag) -> Bool {
        opaque == other.opaque
    }

    /// Returns true if two tags identify the same bytes.
    func matchesStrongly(_ other: EntityTag) -> Bool {
        !isWeak && !other.isWeak && opaque == other.opaque
    }
}
