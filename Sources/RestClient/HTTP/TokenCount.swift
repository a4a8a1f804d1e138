// SPDX-License-Identifier: MIT

/// Distinguishes names like `max_tokens`, which count the tokens of a language model, from names of secrets.
enum TokenCount {
    /// The words of which at least one must accompany `tokens`.
    private static let quantities: Set<String> = [
        "max", "min", "total", "count", "counts", "num", "number", "n", "limit", "usage", "used", "remaining", "budget",
        "prompt", "completion", "input", "output", "cached", "reasoning", "thinking", "prediction",
    ]

    /// The other words that may accompany `tokens`.
    private static let companions: Set<String> = [
        "of", "per", "new", "audio", "text", "image", "cache", "creation", "read", "accepted", "rejected", "details",
        "completions", "minute", "day", "reset", "x", "ratelimit", "rate",
    ]

    /// The words that also allow the singular `token`.
    private static let singular: Set<String> = ["count", "counts", "limit", "usage", "budget", "type"]

    private static let token = NameWords("token")

    /// Returns true if a name counts tokens; a name with any other word does not.
    static func isMeant(by name: some StringProtocol) -> Bool {
        // Few names pass this check.
        guard name.utf8.count >= "n_token".utf8.count, token.occur(in: name) else {
            return false
        }
        var words = Set(NameWords.split(name))
        if words.remove("tokens") != nil {
            return !words.isDisjoint(with: quantities) && words.isSubset(of: quantities.union(companions))
        }
        return words.remove("token") != nil && !words.isDisjoint(with: singular)
            && words.isSubset(of: quantities.union(companions).union(singular))
    }
}
