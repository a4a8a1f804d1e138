// SPDX-License-Identifier: MIT

import RestClient
import RestEssentials

/// Finds values that the rules allow and that look like secrets.
///
/// It reports places, never values.
struct SecretScan {
    private let harmless: Set<String>

    init(_ rules: RecordingRules) {
        harmless = rules.harmlessValues.union([Redaction.mask, PercentEncoding.encode(Redaction.mask), ""])
    }

    /// Returns the places in an archive that hold what looks like a secret.
    func places(in archive: HAR) -> [String] {
        archive.entries.enumerated()
            .flatMap { index, entry in
                let request = entry.request
                var places: [String] = []
                if holdsSecret(request.url) {
                    places.append("request.url")
                }
                places += named(request.query, "request.queryString") + named(request.headers, "request.headers")
                places += request.body.map { body($0, "request.postData") } ?? []
                places +=
                    named(entry.response.headers, "response.headers") + body(entry.response.body, "response.content")
                return places.map { "entries[\(index)].\($0)" }
            }
    }

    private func named(_ fields: [HAR.Field], _ place: String) -> [String] {
        fields.filter { holdsSecret($0.value) }.map { "\(place)[\($0.name)]" }
    }

    private func body(_ body: HAR.Body, _ place: String) -> [String] {
        guard let text = body.text else {
            return []
        }
        if let value = try? JSONDecoder().decode(JSONValue.self, from: body.bytes) {
            return members(value, "\(place).text $")
        }
        return holdsSecret(text) ? ["\(place).text"] : []
    }

    private func members(_ value: JSONValue, _ place: String) -> [String] {
        switch value {
        case .object(let members):
            return members.sorted { $0.key < $1.key }
                .flatMap { self.members($0.value, "\(place).\($0.key)") }
        case .array(let elements):
            return elements.enumerated().flatMap { members($0.element, "\(place)[\($0.offset)]") }
        case .string(let text):
            return holdsSecret(text) ? [place] : []
        case .null, .bool, .int, .double:
            return []
        }
    }

    // MARK: - Values

    /// The prefixes of widely used services' keys.
    private static let prefixes = [
        "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "sk-", "sk_live_", "sk_test_", "rk_live_",
        "xoxb-",
        "xoxp-", "xoxa-", "xapp-", "AIza", "ya29.", "npm_", "hf_", "SG.", "dop_v1_", "shpat_", "pypi-",
    ]

    /// Returns true if a text contains what looks like a key, a token or a password.
    func holdsSecret(_ text: String) -> Bool {
        guard !harmless.contains(text) else {
            return false
        }
        if text.contains("-----BEGIN ") && text.contains("PRIVATE KEY-----") {
            return true
        }
        if text.contains("://"), Redaction.address(text) != text, !text.contains("\(Redaction.mask)@") {
            return true
        }
        let words = text.replacing(Redaction.mask, with: "")
            .split { !($0.isASCII && ($0.isLetter || $0.isNumber || "_-.+/~=".contains($0))) }
        for (index, word) in words.enumerated() where !harmless.contains(String(word)) {
            let scheme = index > 0 ? words[index - 1].lowercased() : ""
            if scheme == "bearer" || scheme == "basic", word.count >= 8 {
                return true
            }
            if Self.looksLikeKey(word) || word.split(separator: "=").contains(where: Self.looksLikeKey) {
                return true
            }
        }
        return false
    }

    private static func looksLikeKey(_ word: Substring) -> Bool {
        // A JSON Web Token: three parts, the first of which begins with an encoded brace.
        if word.hasPrefix("eyJ"), word.count >= 30, word.split(separator: ".").count >= 2 {
            return true
        }
        // An access key of Amazon Web Services.
        if word.count == 20, word.hasPrefix("AKIA") || word.hasPrefix("ASIA"),
            word.allSatisfy({ $0.isUppercase || $0.isNumber })
        {
            return true
        }
        return word.count >= 20 && prefixes.contains(where: word.hasPrefix)
    }
}

extension RecordingRules {
    /// Checks an archive before it is written.
    ///
    /// - Throws: `RestClientError` with the code `secretInRecording`, which names the places of what looks like a
    ///   secret.
    func check(_ archive: HAR) throws(RestClientError) {
        let places = SecretScan(self).places(in: archive)
        guard !places.isEmpty else {
            return
        }
        let more = places.count > 8 ? " and \(places.count - 8) more" : ""
        throw RestClientError(
            .secretInRecording,
            "nothing was written, because these values look like secrets: \(places.prefix(8).joined(separator: ", "))\(more); "
                + "do not allow them, or add them to harmlessValues"
        )
    }
}
