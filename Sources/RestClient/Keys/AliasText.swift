// SPDX-License-Identifier: MIT

import RestEssentials

/// The text of an alias in messages: an alias that looks like a secret is masked, because it may be one.
package enum AliasText {
    /// Returns the alias, or a mask in its place.
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
        return text.utf8.count(where: { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) >= 5
    }

    private static let marks = [
        "sk_", "pk_", "rk_", "sk-", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "xox", "AKIA",
        "ASIA",
        "AIza", "ya29.", "eyJ", "SG.", "whsec_", "Bearer ", "Basic ",
    ]
}
