// SPDX-License-Identifier: MIT

import HTTPTypes
import RestClient
import RestEssentials

/// Writes requests and responses as text for people to read, masked: pure.
///
/// All lines but the first one are indented, so that no field or body can forge the beginning of an entry.
struct WireText: Sendable {
    /// A part of a streamed body that has passed.
    struct Part: Sendable {
        enum End: Sendable {
            case complete
            case failed(String)
            /// The consumer stopped, or its task was cancelled.
            case abandoned
        }

        /// The first bytes, unless they were shown before.
        var bytes = Data()
        /// The number of bytes that have passed.
        var count: Int64 = 0
        /// `nil` for a body that goes on.
        var end: End?

        var isFailure: Bool {
            if case .failed? = end { true } else { false }
        }
    }

    /// The size up to which a body is masked as a whole; of a longer one only the beginning is looked at.
    static let maskingLimit = 1 << 20

    let rules: RecordingRules
    let showsBodies: Bool
    let limit: Int

    // MARK: - Entries

    func request(_ request: OutgoingRequest, _ place: String) -> String {
        let line = "--> \(request.method.rawValue) \(rules.masked(url: request.url)) (\(place))"
        let type = request.headers[.contentType]
        return entry(
            line,
            request.headersWithoutToken,
            body: request.body?.bytes.map { body($0, type: type, isWhole: true) },
            note: request.body.map { "\($0)" }
        )
    }

    func response(_ response: RawResponse, after time: Duration, _ place: String) -> String {
        let version = response.httpVersion.map { " over \($0)" } ?? ""
        let source = response.source == .dummy ? ", from a dummy" : ""
        let line = "<-- \(Redaction.status(response.status))\(version)"
        let type = response.headers[.contentType]
        return entry(
            "\(line) in \(Self.text(of: response.timings?.total ?? time)) (\(place)\(source))",
            response.headers,
            body: body(response.body, type: type, isWhole: true),
            note: response.stream == nil ? "\(response.body.count) bytes" : "the body follows"
        )
    }

    func part(_ part: Part, type: String?, after time: Duration, _ place: String) -> String {
        let beginning =
            switch part.end {
            case nil: "the body begins"
            case .complete?: "the body ended"
            case .failed(let reason)?: "the body broke off: \(reason),"
            case .abandoned?: "the body was not read to its end,"
            }
        let isWhole = if case .complete? = part.end { Int64(part.bytes.count) == part.count } else { false }
        return entry(
            "<-- \(beginning) after \(Self.text(of: time)) (\(place))",
            [:],
            body: body(part.bytes, type: type, isWhole: isWhole),
            note: part.end == nil ? "the first \(part.bytes.count) bytes" : "\(part.count) bytes"
        )
    }

    func failure(_ error: any Error, after time: Duration, _ place: String) -> String {
        let reason = error is CancellationError ? "cancelled" : "failed: \(Redaction.error(error)),"
        return entry("<-- \(reason) after \(Self.text(of: time)) (\(place))", [:])
    }

    private func entry(_ line: String, _ headers: HTTPFields, body: String? = nil, note: String? = nil) -> String {
        var lines = [MessageText.of(line)]
        for field in rules.masked(headers.map { HAR.Field($0.name.rawName, $0.text) }) {
            lines.append("  \(MessageText.of("\(field.name): \(field.value)"))")
        }
        if showsBodies, let body, !body.isEmpty {
            let text = MessageText.of(body, limit: limit, keepsLines: true)
            lines.append("")
            lines += text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
                .map { "  \(Substring($0))" }
        }
        if let note {
            lines.append("  (\(MessageText.of(note)))")
        }
        return lines.joined(separator: "\n")
    }

    private static func text(of time: Duration) -> String {
        "\(time.wholeNanoseconds / 1_000_000) ms"
    }

    // MARK: - Bodies

    /// Returns the masked text of a body, or of its beginning.
    func body(_ bytes: Data, type: String?, isWhole: Bool) -> String {
        guard showsBodies, !bytes.isEmpty else {
            return ""
        }
        guard isWhole, bytes.count <= Self.maskingLimit else {
            return beginning(Data(bytes.prefix(limit)), type: type)
        }
        switch BodyContent.of(bytes, contentType: type) {
        case .json(let value) where Self.hasMembers(value) || MediaType.essence(of: type).hasSuffix("json"):
            return indented(masked(bytes, type: type))
        case .jsonLines:
            return indented(masked(bytes, type: type))
        case .form:
            return masked(bytes, type: type)
        case .json, .other:
            return other(Self.text(of: bytes))
        }
    }

    /// Returns the beginning of a body, which is cut anywhere.
    private func beginning(_ bytes: Data, type: String?) -> String {
        guard let text = Self.text(of: bytes) else {
            return other(nil)
        }
        let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { Substring($0) }
        let isEvents = MediaType.essence(of: type) == "text/event-stream"
        if isEvents || (lines.count > 1 && lines.first.flatMap { json(in: $0) } != nil) {
            return lines.map { line($0, isOfEvents: isEvents) }.joined(separator: "\n")
        }
        return cutJSON(text[...]).map { indented($0) } ?? other(text)
    }

    /// Returns a line of a stream of JSON values or of server-sent events.
    private func line(_ line: Substring, isOfEvents: Bool) -> String {
        let end = line.utf8.last == UInt8(ascii: "\r") ? line.utf8.dropLast() : line.utf8[...]
        guard !end.isEmpty else {
            return ""
        }
        var (name, value) = ("", Substring(end))
        if isOfEvents {
            let colon = end.firstIndex(of: UInt8(ascii: ":")) ?? end.endIndex
            name = String(Substring(end[..<colon]))
            guard name == "data" else {
                return name == "event" || name == "retry" ? Redaction.text(String(value)) : other(String(value))
            }
            value = Substring(end[colon...].dropFirst().drop { $0 == UInt8(ascii: " ") })
            name = "data: "
        }
        return name + (json(in: value) ?? cutJSON(value) ?? other(String(value)))
    }

    /// Returns a masked value of JSON; `nil` for other texts.
    private func json(in text: Substring) -> String? {
        let bytes = Data(text.utf8)
        guard let value = try? JSONText.value(of: bytes), Self.hasMembers(value) else {
            return nil
        }
        return masked(bytes, type: nil)
    }

    /// Returns the beginning of JSON with the secrets in it masked; `nil` for other texts.
    ///
    /// It is masked as a whole if the rules allow only some names.
    private func cutJSON(_ text: Substring) -> String? {
        guard let first = text.utf8.first(where: { $0 > UInt8(ascii: " ") }), "{[".utf8.contains(first) else {
            return nil
        }
        return rules.bodyFields == .all ? Redaction.text(String(text)) : Redaction.mask
    }

    private func masked(_ bytes: Data, type: String?) -> String {
        String(decoding: rules.masked(HAR.Body(bytes, mimeType: type ?? "")).bytes, as: UTF8.self)
    }

    private func other(_ text: String?) -> String {
        rules.allowsOtherBodies ? text.map { Redaction.text($0) } ?? "<bytes that are not text>" : Redaction.mask
    }

    /// Returns bytes as text, without a scalar that was cut at their end; `nil` if they are not UTF-8.
    private static func text(of bytes: Data) -> String? {
        (0...3).lazy.compactMap { String(validating: bytes.dropLast($0), as: UTF8.self) }.first
    }

    private static func hasMembers(_ value: JSONValue) -> Bool {
        switch value {
        case .object, .array: true
        default: false
        }
    }

    // MARK: - JSON

    /// Returns JSON, whole or not, with a line for each member and element, in their order.
    ///
    /// It ends soon behind the limit, so that no nesting makes it much longer.
    func indented(_ json: String) -> String {
        var shown: [UInt8] = []
        var depth = 0
        var (isString, isEscaped, isOpened) = (false, false, false)
        func breakLine() {
            shown.append(UInt8(ascii: "\n"))
            shown += repeatElement(UInt8(ascii: " "), count: 2 * min(depth, 32))
        }
        for byte in json.utf8 {
            guard shown.count <= 4 * limit else {
                break
            }
            guard !isString else {
                shown.append(byte)
                isString = isEscaped || byte != UInt8(ascii: "\"")
                isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
                continue
            }
            guard byte > UInt8(ascii: " ") else {
                continue
            }
            let isClosing = byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]")
            let isOpening = byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[")
            if isClosing {
                depth = max(0, depth - 1)
            }
            // A pair of brackets with nothing in between stays on its line; values on lines of their own have no comma.
            if isOpened != isClosing || (isOpening && depth == 0 && !shown.isEmpty) {
                breakLine()
            }
            isOpened = isOpening
            shown.append(byte)
            if isOpening {
                depth += 1
            }
            switch byte {
            case UInt8(ascii: "\""): isString = true
            case UInt8(ascii: ","): breakLine()
            case UInt8(ascii: ":"): shown.append(UInt8(ascii: " "))
            default: break
            }
        }
        return String(decoding: shown, as: UTF8.self)
    }
}
