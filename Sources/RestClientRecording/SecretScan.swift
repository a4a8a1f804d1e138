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

    func places(in archive: HAR) -> [String] {
        archive.entries.enumerated()
            .flatMap { index, entry in
                let request = entry.request
                let response = entry.response
                var places: [String] = []
                if holdsSecret(request.url) {
                    places.append("request.url")
                }
                places += named(request.query, "request.queryString") + named(request.headers, "request.headers")
                places += request.body.map { body($0, "request.postData") } ?? []
                if holdsSecret(response.statusText) {
                    places.append("response.statusText")
                }
                places += named(response.headers, "response.headers") + body(response.body, "response.content")
                for (number, message) in (entry.webSocketMessages ?? []).enumerated() {
                    places += body(HAR.Body(message.bytes), "_webSocketMessages[\(number)]")
                }
                if let end = entry.webSocketEnd, holdsSecret(end.reason) {
                    places.append("_webSocketEnd.reason")
                }
                if let error = response.error, holdsSecret(error) {
                    places.append("response._error")
                }
                return places.map { "entries[\(index)].\($0)" }
            }
    }

    private func named(_ fields: [HAR.Field], _ place: String) -> [String] {
        fields.filter { holdsSecret($0.value) || holdsSecret($0.name) }.map { "\(place)[\(shown($0.name))]" }
    }

    private func body(_ body: HAR.Body, _ place: String) -> [String] {
        if let value = try? JSONText.value(of: body.bytes) {
            return members(value, "\(place).text $")
        }
        // Bytes that are not text may still contain one.
        return holdsSecret(String(decoding: body.bytes, as: UTF8.self)) ? ["\(place).text"] : []
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
        case .string(let text):
            return holdsSecret(text) ? [place] : []
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
