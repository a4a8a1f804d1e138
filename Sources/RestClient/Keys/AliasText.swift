// SPDX-License-Identifier: MIT

import RestEssentials

/// A name of the user's own, as a type that only one registry takes.
package protocol TextAlias: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible
where RawValue == String, StringLiteralType == String {
    init(rawValue: String)
}

extension TextAlias {
    /// Creates an alias from a string literal.
    public init(stringLiteral value: String) {
        self.init(rawValue: value)
    }

    /// The alias as text.
    public var description: String { rawValue }
}

/// The text of an alias in messages: an alias that looks like a secret is masked, because it may be one.
package enum AliasText {
    package static func shown(_ alias: String) -> String {
        looksSecret(alias) ? "<redacted>" : MessageText.of(alias, limit: MessageText.partLimit)
    }

    /// Returns an alias with what it names, as in `the server 'store'`.
    static func named(_ kind: String, _ alias: String) -> String { "the \(kind) '\(shown(alias))'" }

    /// Returns true if a text begins like the keys and tokens of well-known services, or is as long and random as one.
    private static func looksSecret(_ text: String) -> Bool {
        if text.utf8.count >= 12, marks.contains(where: { text.utf8.starts(with: $0.utf8) }) {
            return true
        }
        guard text.utf8.count >= 24, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            return false
        }
        return text.utf8.count(where: \.isDigit) >= 5
    }

    private static let marks = [
        "sk_", "pk_", "rk_", "sk-", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "xox", "AKIA",
        "ASIA",
        "AIza", "ya29.", "eyJ", "SG.", "whsec_", "Bearer ", "Basic ",
    ]
}

/// Suggests registered names that are similar to an unknown one.
package enum NearestNames {
    /// Returns at most three similar candidates, the most similar first.
    ///
    /// A candidate is similar when at most a third of the longer name differs, or at most two bytes; of names of less
    /// than five bytes one byte may differ, and one must agree. Case is ignored.
    static func of(_ name: String, among candidates: some Sequence<String>) -> [String] {
        let wanted = Array(name.lowercased().utf8)
        var ranked: [(name: String, distance: Int)] = []
        for candidate in candidates {
            let bytes = Array(candidate.lowercased().utf8)
            let distance = editDistance(wanted, bytes)
            let longer = max(wanted.count, bytes.count)
            if distance <= (longer < 5 ? min(1, longer - 1) : max(2, longer / 3)) {
                ranked.append((candidate, distance))
            }
        }
        ranked.sort { ($0.distance, $0.name) < ($1.distance, $1.name) }
        return ranked.prefix(3).map(\.name)
    }

    /// Returns a clause for an error message: similar names, or else the registered ones.
    package static func hint(for name: String, among candidates: some Collection<String>) -> String {
        let nearest = of(name, among: candidates)
        if !nearest.isEmpty {
            return "did you mean " + nearest.map { "'\(AliasText.shown($0))'" }.joined(separator: " or ") + "?"
        }
        if candidates.isEmpty {
            return "none is registered"
        }
        return "registered: " + candidates.sorted().prefix(8).map(AliasText.shown).joined(separator: ", ")
            + (candidates.count > 8 ? ", …" : "")
    }

    private static func editDistance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var previous = Array(0...right.count)
        for (row, leftByte) in left.enumerated() {
            var current = [row + 1]
            for (column, rightByte) in right.enumerated() {
                let replaced = previous[column] + (leftByte == rightByte ? 0 : 1)
                current.append(min(replaced, previous[column + 1] + 1, current[column] + 1))
            }
            previous = current
        }
        return previous[right.count]
    }
}
