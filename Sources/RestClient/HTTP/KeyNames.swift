// SPDX-License-Identifier: MIT

/// Distinguishes the names of secret keys, such as `access_key`, from those of keys that identify a thing.
enum KeyNames {
    /// The words directly before `key` in names of secret keys, as in `subscription-key` and `masterkey`.
    ///
    /// Any other word may stand before the key of a row, a file or a map: `user_key`, `startKey`, `s3_key`.
    private static let secretKeys: Set<String> = [
        "access", "account", "activation", "admin", "aes", "anthropic", "api", "app", "application", "auth", "aws",
        "azure", "bearer", "cert", "certificate", "client", "consumer", "crypto", "decryption", "deploy",
        "deployment", "dev", "developer", "ecdsa", "encrypt", "encryption", "function", "functions", "gcp", "github",
        "google", "gpg", "hmac", "host", "ingest", "ingestion", "integration", "licence", "license", "management",
        "maps", "master", "merchant", "openai", "partner", "pgp", "preshared", "private", "recovery", "root", "rsa",
        "sas", "secondary", "secret", "secure", "security", "server", "service", "sftp", "shared", "sign", "signing",
        "ssh", "ssl", "stream", "stripe", "subscription", "symmetric", "tls", "webhook", "write",
    ]

    /// The words behind `key` that say how a key is written, and not which one it is.
    private static let forms: Set<String> = [
        "b64", "base64", "content", "contents", "data", "der", "hex", "jwk", "material", "pem", "raw", "string", "text",
        "value", "values",
    ]

    /// The words directly before `key` in header fields of keys that are not secret, as in `Idempotency-Key`.
    private static let harmlessKeys: Set<String> = [
        "idempotency", "cache", "surrogate", "partition", "routing", "route", "sort", "primary", "foreign", "unique",
        "composite", "lookup", "range", "evaluated", "public", "publishable", "object", "row", "request", "dedup",
        "deduplication", "message", "event", "websocket", "group", "issue", "project", "parent", "translation",
        "shortcut",
    ]

    /// Words that end in `key` and are none; `xkey` lists the tags of a stored response.
    private static let otherWords: Set<String> = [
        "donkey", "hockey", "hotkey", "jockey", "monkey", "turkey", "whiskey", "xkey",
    ]

    /// Returns true if a query item, a form field or a member of JSON of a name is a secret key.
    ///
    /// - Returns: True for `key`, `key1`, and for a key that one of the known words says to be secret.
    static func nameSecret(_ words: [String]) -> Bool {
        guard let index = words.lastIndex(where: { !forms.contains($0) && !$0.allSatisfy(\.isNumber) }) else {
            return false
        }
        var word = words[index][...]
        while word.last?.isNumber == true {
            word.removeLast()
        }
        let isPlural = word.hasSuffix("keys")
        guard isPlural || word.hasSuffix("key") else {
            return false
        }
        word.removeLast(isPlural ? 4 : 3)
        guard word.isEmpty else {
            return secretKeys.contains(String(word))
        }
        guard index == 0 else {
            return secretKeys.contains(words[index - 1])
        }
        // A list of keys is often one of public keys, and any data have keys and values.
        return !isPlural && words.dropFirst().allSatisfy { $0 == "pem" || !forms.contains($0) }
    }

    /// Returns true if a header field of a name is a secret key: any key that is not known to be something else.
    ///
    /// - Returns: True for `x-tenant-key` and `x-mykey`, false for `x-cache-key` and `x-partitionkey`.
    static func nameSecretField(_ words: [String]) -> Bool {
        guard let last = words.last, last.hasSuffix("key"), !otherWords.contains(last) else {
            return nameSecret(words)
        }
        let stem = String(last.dropLast(3))
        return !harmlessKeys.contains(stem.isEmpty && words.count > 1 ? words[words.count - 2] : stem)
    }
}
