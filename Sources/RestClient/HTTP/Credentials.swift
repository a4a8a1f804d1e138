// SPDX-License-Identifier: MIT

package import HTTPTypes
import RestEssentials
import Synchronization

/// Decides which fields and values count as credentials.
///
/// The same decision separates users in the cache, drops fields when a redirect leads to another server, and masks
/// values. A field counts if authentication is known to set it, if its name looks secret, or if the user declares it.
/// When in doubt it counts: a field that is wrongly taken for a credential costs a stored response, while one that is
/// missed sends a token to a stranger.
package enum Credentials {
    /// The fields, of requests and responses, whose values are credentials or sessions.
    package static let fields = names([
        "Authorization", "Proxy-Authorization", "Cookie", "X-API-Key", "API-Key", "X-Auth-Token", "X-CSRF-Token",
        "X-Amz-Security-Token", "PRIVATE-TOKEN", "JOB-TOKEN", "Deploy-Token", "Ocp-Apim-Subscription-Key",
        "X-Functions-Key", "X-Master-Key", "X-Access-Key", "X-Vault-Token", "X-Consul-Token", "X-Auth-Email",
        "X-Shopify-Access-Token", "X-Figma-Token", "X-Goog-IAP-JWT-Assertion", "Cf-Access-Jwt-Assertion", "DPoP",
        "Set-Cookie", "Set-Cookie2", "WWW-Authenticate", "Proxy-Authenticate", "Authentication-Info",
    ])

    /// The fields of nearly all requests that describe the message or the desired response.
    private static let usualMessageFields = names([
        "Accept", "Accept-Charset", "Accept-Encoding", "Accept-Language", "Cache-Control", "Connection",
        "Content-Disposition", "Content-Encoding", "Content-Language", "Content-Length", "Content-Range",
        "Content-Type", "Idempotency-Key", "If-Match", "If-Modified-Since", "If-None-Match", "If-Range",
        "If-Unmodified-Since", "Pragma", "Prefer", "Range", "Sec-WebSocket-Key", "Trailer", "Transfer-Encoding",
    ])

    /// The fields of nearly all requests and responses, which need no further check.
    private static let harmlessFields = usualMessageFields.union(
        names([
            "Accept-Ranges", "Access-Control-Allow-Credentials", "Access-Control-Allow-Headers",
            "Access-Control-Allow-Methods", "Access-Control-Allow-Origin", "Access-Control-Expose-Headers", "Age",
            "Allow", "Alt-Svc", "Content-Location", "Content-Security-Policy", "Date", "ETag", "Expires", "Host",
            "Keep-Alive", "Last-Modified", "Link", "Location", "Origin", "Referer", "Retry-After", "Server",
            "Strict-Transport-Security", "Traceparent", "Tracestate", "User-Agent", "Vary", "Via",
            "X-Content-Type-Options", "X-Frame-Options", "X-Request-ID", "X-Requested-With",
        ])
    )

    /// The meanings of words in a name for its value.
    private struct Hint: OptionSet {
        let rawValue: UInt8

        /// A word that marks a secret wherever it stands.
        static let secret = Hint(rawValue: 1 << 0)
        /// The word `token`, which may also count the tokens of a text.
        static let token = Hint(rawValue: 1 << 1)
        /// The word `auth`, which may also be the beginning of `author`.
        static let authentication = Hint(rawValue: 1 << 2)
        /// A word that may mark a secret, depending on the words around it.
        static let context = Hint(rawValue: 1 << 3)
        /// A word that marks a secret as the whole name.
        static let whole = Hint(rawValue: 1 << 4)
        /// A word that is a part of many others, as `pin` is of `shipping`.
        static let word = Hint(rawValue: 1 << 5)
    }

    private static let hints = NameWords(
        [
            "token", "secret", "password", "passwd", "passphrase", "pwd", "apikey", "api_key", "api-key", "accesskey",
            "privatekey", "signature", "credential", "session", "jwt", "code_verifier", "code-verifier", "codeverifier",
            "passcode", "cookie", "sessid", "csrf", "xsrf", "saml", "bearer", "onetime", "one_time", "one-time",
        ],
        ["token"],
        ["auth"],
        ["key", "assertion"],
        ["key", "sig", "code"],
        ["sid", "otp", "pass", "pw", "pin", "sig", "nonce", "hmac", "ticket", "code"]
    )

    /// Returns true if the value of a request field identifies or authenticates the sender of the request.
    package static func contain(_ name: HTTPField.Name, declared: Set<HTTPField.Name> = []) -> Bool {
        isSecret(name) || declared.contains(name)
    }

    /// The request fields that mean the same to every server: those that describe the message, the desired response or
    /// the connection.
    private static let messageFields = usualMessageFields.union(
        names([
            "Accept-Datetime", "Content-Digest", "Content-MD5", "Content-Transfer-Encoding", "Digest", "Expect",
            "Last-Event-ID", "Priority", "Repr-Digest", "Save-Data", "Sec-WebSocket-Extensions",
            "Sec-WebSocket-Version", "TE", "Upgrade", "Want-Content-Digest", "Want-Repr-Digest",
        ])
    )

    /// Returns true if a request field may go to another server than the one for which it was set, because it means the
    /// same to every server.
    ///
    /// The list names what may go, as the names of all secrets cannot be listed. A validator of a stored response says
    /// nothing about what another server has (RFC 9110, section 13.1), so that of a safe request stays behind; a
    /// precondition of a change goes along, because the change must not happen without it. `If-Range` goes along with
    /// `Range`: without it, a part of another version would be taken for one of this.
    static func describesMessage(_ name: HTTPField.Name, of method: HTTPRequest.Method) -> Bool {
        messageFields.contains(name) && !(method.isSafe && (name == .ifNoneMatch || name == .ifModifiedSince))
    }

    /// Returns true if a field of the manager or the call may go to a server that neither of them chose.
    static func goesAlong(_ name: HTTPField.Name, with method: HTTPRequest.Method) -> Bool {
        name == .userAgent || describesMessage(name, of: method)
    }

    /// Returns the credentials of a request as one text; `nil` if it has none.
    ///
    /// The order of fields of different names makes no difference.
    static func text(of headers: HTTPFields, declared: Set<HTTPField.Name> = []) -> String? {
        var found: [(name: String, value: String)] = []
        for field in headers where contain(field.name, declared: declared) {
            found.append((field.name.canonicalName, field.text))
        }
        guard !found.isEmpty else {
            return nil
        }
        let sorted = found.enumerated()
            .sorted { ($0.element.name, $0.offset) < ($1.element.name, $1.offset) }
        return sorted.map { "\($0.element.name):\($0.element.value)" }.joined(separator: "\n")
    }

    package static func isSecret(_ name: HTTPField.Name) -> Bool {
        guard !harmlessFields.contains(name) else {
            return false
        }
        // The verdict must not depend on upper case, which HTTP/2 does not even send.
        return fields.contains(name) || isSecret(name.canonicalName, isField: true)
    }

    /// Returns true if the name of a query item, a form field or a member of JSON marks its value as a secret.
    ///
    /// Many keys there are those of rows and files. So a key is secret if the word before it says so
    /// (`subscription-key`, `accessKey`, `private_key_pem`), or if there is none, as in many queries. In a header field
    /// any key is secret, except a few that are known not to be.
    package static func isSecret(_ name: some StringProtocol) -> Bool {
        isSecret(name, isField: false)
    }

    private static func isSecret(_ name: some StringProtocol, isField: Bool) -> Bool {
        // A name with more marks than any word has is not one that somebody gave to harmless data.
        guard !MarkRun.isExcessive(name), !isDeclared(name) else {
            return true
        }
        let hint = Hint(rawValue: hints.kinds(in: name))
        // Most names have no such word.
        guard !hint.isEmpty, !(hint.contains(.token) && TokenCount.isMeant(by: name)) else {
            return false
        }
        return hint.contains(.secret)
            || (hint.contains(.whole) && isMark(name))
            || (hint.contains(.authentication) && namesAuthentication(name))
            || (hint.contains(.context) && namesKey(name, isField: isField))
            || (hint.contains(.word) && SecretWords.occur(in: NameWords.split(name)))
    }

    /// Returns true if a member of JSON of a name holds a credential, and nothing else goes by that name.
    ///
    /// A mask can afford to hide the `code` of a currency and the token of a next page; a refusal cannot. So this asks
    /// for more than ``isSecret(_:)``: for a name that consists of such words only, perhaps behind another one.
    ///
    /// - Returns: True for `access_token`, `password` and `stripeSecretKey`, and for names that the user declares.
    package static func areHeld(byMember name: String) -> Bool {
        guard isSecret(name) else {
            return false
        }
        let words = NameWords.split(name)
        return isDeclared(name) || words == ["token"] || words.last.map(credentialWords.contains) == true
            || credentialWords.contains(words.suffix(2).joined())
    }

    /// The last words, one or two, of members that hold credentials.
    private static let credentialWords: Set<String> = [
        "accesskey", "accesstoken", "apikey", "apisecret", "apitoken", "authtoken", "bearertoken",
        "clientsecret", "idtoken", "jwt", "passphrase", "passwd", "password", "privatekey", "refreshtoken", "secret",
        "secretkey", "sessiontoken", "signingkey",
    ]

    /// Makes the values of query items of a name secrets, in the whole process: a URL is shown in many places that know
    /// nothing of the call.
    static func declare(queryItem name: String) {
        declaredItems.withLock { _ = $0.insert(name.lowercased()) }
        hasDeclaredItems.store(true, ordering: .releasing)
    }

    private static func isDeclared(_ name: some StringProtocol) -> Bool {
        guard hasDeclaredItems.load(ordering: .acquiring) else {
            return false
        }
        let name = name.lowercased()
        return declaredItems.withLock { $0.contains(name) }
    }

    private static let declaredItems = Mutex<Set<String>>([])
    private static let hasDeclaredItems = Atomic<Bool>(false)

    private static func isMark(_ name: some StringProtocol) -> Bool {
        name.utf8.count <= 8 && ["key", "sig", "code"].contains(name.lowercased())
    }

    /// Returns true if a name is that of a secret key, or if its last word is `assertion`.
    private static func namesKey(_ name: some StringProtocol, isField: Bool) -> Bool {
        let words = NameWords.split(name)
        return words.last == "assertion" || (isField ? KeyNames.nameSecretField(words) : KeyNames.nameSecret(words))
    }

    /// Returns true if a name refers to authentication or authorization, but not to an author.
    private static func namesAuthentication(_ name: some StringProtocol) -> Bool {
        let name = name.lowercased()
        return name.ranges(of: "auth")
            .contains { range in
                let rest = name[range.upperBound...]
                return !rest.hasPrefix("or") || rest.hasPrefix("oriz") || rest.hasPrefix("oris")
            }
    }

    private static func names(_ names: [String]) -> Set<HTTPField.Name> {
        Set(names.compactMap { HTTPField.Name($0) })
    }
}

/// The short words of names that mark a secret, but only as whole words: `pin` does, `spin` and `shipping` do not.
enum SecretWords {
    /// The words that mark a secret wherever they stand.
    private static let anywhere: Set<String> = ["sid", "otp", "totp", "hotp", "pw", "hmac"]

    /// The words that mark a secret as the last one: `user_pass` unlike `pass_count`.
    private static let last: Set<String> = ["pass", "pin", "sig", "nonce"]

    /// The words directly before `code` in names of codes that give access, unlike `country_code`.
    private static let codes: Set<String> = [
        "access", "activation", "backup", "confirmation", "device", "invitation", "invite", "login", "mfa",
        "passwordless", "pass", "pin", "recovery", "reset", "security", "sms", "tan", "user", "verification", "verify",
    ]

    /// The words directly before `ticket` in names of tickets that give access, unlike `support_ticket`.
    private static let tickets: Set<String> = ["cas", "login", "proxy", "service", "st", "x"]

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

    private static let token = NameWords(["token"])

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
