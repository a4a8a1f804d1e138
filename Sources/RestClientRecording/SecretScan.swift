// SPDX-License-Identifier: MIT

import RestClient
import RestEssentials

/// Finds values that the rules allow and that look like secrets, and reports places, never values.
struct SecretScan {
    private let harmless: Set<String>

    init(_ rules: RecordingRules) {
        harmless = rules.harmlessValues.union([Redaction.mask, PercentEncoding.encode(Redaction.mask), ""])
    }

    func places(in archive: HAR) -> [String] {
        archive.entries.enumerated()
            .flatMap { index, entry in
                let (request, response) = (entry.request, entry.response)
                let messages = (entry.webSocketMessages ?? []).enumerated()
                let places: [[String]] = [
                    text(request.url, "request.url"),
                    named(request.query, "request.queryString"),
                    named(request.headers, "request.headers"),
                    request.body.map { body($0, "request.postData") } ?? [],
                    text(response.statusText, "response.statusText"),
                    named(response.headers, "response.headers"),
                    body(response.body, "response.content"),
                    messages.flatMap { body(HAR.Body($0.element.bytes), "_webSocketMessages[\($0.offset)]") },
                    text(entry.webSocketEnd?.reason, "_webSocketEnd.reason"),
                    text(response.error, "response._error"),
                ]
                return places.joined().map { "entries[\(index)].\($0)" }
            }
    }

    private func text(_ text: String?, _ place: String) -> [String] {
        text.map(holdsSecret) ?? false ? [place] : []
    }

    private func named(_ fields: [HAR.Field], _ place: String) -> [String] {
        fields.filter { holdsSecret($0.value) || holdsSecret($0.name) }.map { "\(place)[\(shown($0.name))]" }
    }

    private func body(_ body: HAR.Body, _ place: String) -> [String] {
        if let value = try? JSONText.value(of: body.bytes) {
            return members(value, "\(place).text $")
        }
        // Bytes that are not text may still contain one.
        return text(String(decoding: body.bytes, as: UTF8.self), "\(place).text")
    }

    private func members(_ value: JSONValue, _ place: String) -> [String] {
        switch value {
        case .object(let members):
            return members.sorted { $0.key < $1.key }
                .flatMap { name, value in
                    let member = "\(place).\(shown(name))"
                    let inner = self.members(value, member)
                    return inner.isEmpty && holdsSecret(name) ? [member] : inner
                }
        case .array(let elements):
            return elements.enumerated().flatMap { members($0.element, "\(place)[\($0.offset)]") }
        case .string(let string):
            return text(string, place)
        case .null, .bool, .int, .double, .number:
            return []
        }
    }

    private func shown(_ name: String) -> String {
        holdsSecret(name) ? Redaction.mask : name
    }

    // MARK: - Values

    /// Returns true if a text contains something that looks like a key, a token or a password, percent-encoded or not.
    func holdsSecret(_ text: String) -> Bool {
        guard !harmless.contains(text) else {
            return false
        }
        if Self.holds("-----BEGIN ", text) && Self.holds("PRIVATE KEY-----", text) {
            return true
        }
        if Self.holds("://", text), Redaction.address(text) != text, !text.contains("\(Redaction.mask)@") {
            return true
        }
        let isEncoded = text.utf8.contains { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }
        return holdsKey(text) || (isEncoded && holdsKey(PercentEncoding.decode(text, plusIsSpace: true)))
    }

    private func holdsKey(_ text: String) -> Bool {
        var text = text.replacing(Redaction.mask, with: " ")
        if text.utf8.contains(UInt8(ascii: "\\")) {
            // A key may begin directly after an escape.
            for escape in ["\\n", "\\r", "\\t", "\\u0022"] {
                text = text.replacing(escape, with: " ")
            }
        }
        let words = text.utf8.split { !Self.isOfWord($0) }.map { Substring($0) }
        for (index, word) in words.enumerated() where !harmless.contains(String(word)) {
            let scheme = index > 0 ? words[index - 1].split(separator: "=").last?.lowercased() ?? "" : ""
            if scheme == "bearer" || scheme == "basic", word.count >= 8 {
                return true
            }
            if KnownKeys.all(in: word).contains(where: { !harmless.contains($0) }) {
                return true
            }
        }
        return false
    }

    /// Returns true if a text contains the bytes of another one, whatever characters they are a part of.
    private static func holds(_ part: String, _ text: String) -> Bool {
        text.utf8.firstRange(of: part.utf8) != nil
    }

    private static func isOfWord(_ byte: UInt8) -> Bool {
        byte.isAlphanumeric || "_-.+/~=".utf8.contains(byte)
    }
}

extension RecordingRules {
    /// Throws `secretInRecording`, which names the places of values that look like secrets.
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

/// Finds the keys and tokens of widely used services in a text, by their prefixes and the characters that follow.
struct KnownKeys: Sendable {
    private enum Alphabet: Sendable {
        case joined
        case alphanumeric
        /// Capital letters and digits, and nothing that continues the word.
        case capitals

        func contains(_ byte: UInt8) -> Bool {
            switch self {
            case .joined: byte.isAlphanumeric || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
            case .alphanumeric: byte.isAlphanumeric
            case .capitals: byte.isCapital || byte.isDigit
            }
        }
    }

    private struct Kind: Sendable {
        /// The prefixes, separated by spaces.
        let prefixes: String
        /// The minimum number of bytes after the prefix.
        var minimum = 16
        var alphabet = Alphabet.joined
        /// True if letters or digits before the prefix make it a different word.
        var standsAlone = false
        /// True if the rest must look random, because common words have the same prefix.
        var isRandom = false
        /// The number of parts that follow, separated by full stops.
        var parts = 1
    }

    private static let kinds: [Kind] = [
        // GitHub and GitLab
        Kind(prefixes: "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ glpat- gldt- glrt- glptt- glcbt- glsoat- glft-"),
        // Shopify, Stripe, DigitalOcean, registries of packages and images, operations
        Kind(prefixes: "shpat_ shpss_ shpca_ shppa_ whsec_ dop_v1_ doo_v1_ dckr_pat_ rubygems_"),
        Kind(prefixes: "lin_api_ glsa_ sntrys_ NRAK- AGE-SECRET-KEY-"),
        // Slack, Stripe
        Kind(prefixes: "xoxa- xoxb- xoxc- xoxd- xoxe- xoxo- xoxp- xoxr- xoxs- xoxe.xox xapp-", minimum: 10),
        Kind(prefixes: "sk_live_ sk_test_ rk_live_ rk_test_", minimum: 12),
        // Amazon Web Services
        Kind(prefixes: "AKIA ASIA", alphabet: .capitals, standsAlone: true),
        // Google, operations, mail
        Kind(prefixes: "AIza", minimum: 30, standsAlone: true),
        Kind(prefixes: "ya29. hvs.", standsAlone: true),
        Kind(prefixes: "SG.", standsAlone: true, parts: 2),
        // Registries of packages, language models, mail, operations
        Kind(prefixes: "npm_ hf_", minimum: 30, alphabet: .alphanumeric, standsAlone: true),
        Kind(prefixes: "key- dapi", minimum: 32, alphabet: .alphanumeric, standsAlone: true),
        Kind(prefixes: "pypi-", minimum: 30, standsAlone: true, isRandom: true),
        Kind(prefixes: "sk-", standsAlone: true, isRandom: true),
        // JSON Web Tokens: the first part begins with an encoded brace.
        Kind(prefixes: "eyJ", minimum: 8, standsAlone: true, parts: 2),
    ]

    private static let kindsByFirstByte = Dictionary(
        grouping: kinds.flatMap { kind in
            kind.prefixes.split(separator: " ").map { (prefix: Array($0.utf8), kind: kind) }
        },
        by: { $0.prefix.first ?? 0 }
    )

    static func all(in text: some StringProtocol) -> [String] {
        var scan = KeyScan(Array(text.utf8))
        return scan.keys()
    }

    /// A search through the bytes of a text.
    ///
    /// A prefix may begin at every third byte of a run of characters that all continue a key. What such a run consists
    /// of is determined once for all prefixes in it: otherwise the time would grow with the square of the length.
    private struct KeyScan {
        struct Run {
            let bounds: Range<Int>
            /// The index of the last digit, of the last capital letter, and of the first byte of the last long word.
            var lastDigit = -1
            var lastCapital = -1
            var lastLongWord = -1
        }

        private let bytes: [UInt8]
        /// The latest run that was measured for the first and for the second part of a key.
        private var runs: [Run?] = [nil, nil]

        init(_ bytes: [UInt8]) {
            self.bytes = bytes
        }

        mutating func keys() -> [String] {
            var found: [String] = []
            var index = 0
            while index < bytes.count {
                if let end = keyEnd(at: index) {
                    found.append(String(decoding: bytes[index..<end], as: UTF8.self))
                    index = end
                } else {
                    index += 1
                }
            }
            return found
        }

        /// Returns the index after a key that begins at an index; `nil` if there is none.
        private mutating func keyEnd(at start: Int) -> Int? {
            for (prefix, kind) in KnownKeys.kindsByFirstByte[bytes[start]] ?? []
            where bytes[start...].starts(with: prefix) {
                if let end = keyEnd(of: kind, at: start, body: start + prefix.count) {
                    return end
                }
            }
            return nil
        }

        private mutating func keyEnd(of kind: Kind, at start: Int, body: Int) -> Int? {
            if kind.standsAlone, start > 0, bytes[start - 1].isAlphanumeric {
                return nil
            }
            var end = body
            for part in 0..<kind.parts {
                if part > 0 {
                    guard end < bytes.count, bytes[end] == UInt8(ascii: ".") else {
                        return nil
                    }
                    end += 1
                }
                let begin = end
                end = runEnd(of: kind.alphabet, from: begin, part: part)
                guard end - begin >= kind.minimum else {
                    return nil
                }
            }
            if kind.alphabet == .capitals, end < bytes.count, bytes[end].isAlphanumeric {
                return nil
            }
            return kind.isRandom && !isRandom(from: body) ? nil : end
        }

        /// Returns the index after the characters of an alphabet that begin at an index.
        private mutating func runEnd(of alphabet: Alphabet, from start: Int, part: Int) -> Int {
            guard alphabet == .joined else {
                // Keys of the other alphabets stand alone, so that no two of them share a run.
                return bytes[start...].firstIndex { !alphabet.contains($0) } ?? bytes.count
            }
            if let run = runs[part], run.bounds.contains(start) {
                return run.bounds.upperBound
            }
            let run = measuredRun(from: start)
            runs[part] = run
            return run.bounds.upperBound
        }

        private func measuredRun(from start: Int) -> Run {
            let end = bytes[start...].firstIndex { !Alphabet.joined.contains($0) } ?? bytes.count
            var run = Run(bounds: start..<end)
            var word = start
            for index in start..<end {
                let byte = bytes[index]
                if byte.isDigit {
                    run.lastDigit = index
                } else if byte.isCapital {
                    run.lastCapital = index
                }
                if !byte.isAlphanumeric {
                    word = index + 1
                } else if index + 1 - word >= 20 {
                    run.lastLongWord = word
                }
            }
            return run
        }

        /// Returns true if the rest of the latest run, which follows a hyphen, has digits and capital letters, or
        /// digits and a long word, unlike the words of a title.
        private func isRandom(from body: Int) -> Bool {
            guard let run = runs[0], run.lastDigit >= body else {
                return false
            }
            return run.lastCapital >= body || run.lastLongWord >= body
        }
    }
}

extension UInt8 {
    fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    fileprivate var isCapital: Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) }

    var isAlphanumeric: Bool {
        isDigit || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20)
    }
}
