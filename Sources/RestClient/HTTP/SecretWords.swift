// SPDX-License-Identifier: MIT

/// The short words of names that mark a secret, but only as whole words: `pin` does, `spin` and `shipping` do not.
enum SecretWords {
    /// The words that mark a secret wherever they stand.
    private static let anywhere: Set<String> = ["sid", "otp", "totp", "hotp", "pw", "hmac"]

    /// The words that mark a secret as the last one: `user_pass` unlike `pass_count`.
    private static let last: Set<String> = ["pass", "pin", "sig", "nonce"]

    /// The words directly before `code` in names of codes that let somebody in, unlike `country_code`.
    private static let codes: Set<String> = [
        "access", "activation", "backup", "confirmation", "device", "invitation", "invite", "login", "mfa",
        "passwordless", "pass", "pin", "recovery", "reset", "security", "sms", "tan", "user", "verification", "verify",
    ]

    /// The words directly before `ticket` in names of tickets that let somebody in, unlike `support_ticket`.
    private static let tickets: Set<String> = ["cas", "login", "proxy", "service", "st", "x"]

    /// Returns true if the words of a name, in lower case, mark its value as a secret.
    static func occur(in words: [String]) -> Bool {
        // A number only counts: `otp2`.
        let words = words.map { word in String(word.reversed().drop { $0.isNumber }.reversed()) }.filter { !$0.isEmpty }
        guard let last = words.last else {
            return false
        }
        let before = words.dropLast().last
        switch last {
        case _ where !anywhere.isDisjoint(with: words): return true
        case "code": return before.map(codes.contains) ?? false
        case "ticket": return before.map(tickets.contains) ?? true
        default: return self.last.contains(last)
        }
    }
}
