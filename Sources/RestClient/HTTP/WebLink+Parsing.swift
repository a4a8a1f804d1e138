// SPDX-License-Identifier: MIT

extension WebLink {
    /// Parses the links of a response by the algorithm of RFC 8288, appendix B, which tolerates the mistakes of
    /// servers.
    ///
    /// A malformed part ends the parsing of its line; the links before it count.
    static func links(in lines: [String]) -> [WebLink] {
        lines.flatMap { line in
            var reader = Reader(line)
            return reader.links()
        }
    }
}

private struct Reader {
    private var rest: Substring.UTF8View

    init(_ text: String) {
        rest = Substring(text).utf8
    }

    // Appendix B.2.
    mutating func links() -> [WebLink] {
        var links: [WebLink] = []
        while true {
            skip { $0 == .comma || FieldList.isSpace($0) }
            guard take(UInt8(ascii: "<")) else {
                return links
            }
            let target = text { $0 != UInt8(ascii: ">") }
            guard take(UInt8(ascii: ">")) else {
                return links
            }
            links.append(Self.link(String(FieldList.trimmed(Substring(target))), parameters()))
        }
    }

    private static func link(_ target: String, _ parameters: [WebLink.Parameter]) -> WebLink {
        // Of each of these, the first one counts (sections 3.3 and 3.4).
        var unseen: Set<String> = ["media", "title", "title*", "type"]
        let unique = unseen
        var attributes: [WebLink.Parameter] = []
        for parameter in parameters where parameter.name != "rel" && parameter.name != "anchor" {
            if !unique.contains(parameter.name) || unseen.remove(parameter.name) != nil {
                attributes.append(parameter)
            }
        }
        let starred = Set(attributes.map(\.name).filter { $0.hasSuffix("*") }.map { String($0.dropLast()) })
        attributes.removeAll { starred.contains($0.name) }
        for index in attributes.indices where attributes[index].name.hasSuffix("*") {
            attributes[index].name.removeLast()
        }
        let relations = parameters.first { $0.name == "rel" }?.value ?? ""
        return WebLink(
            target: target,
            // A relation type is a token or a URI, and so ASCII.
            relations: relations.utf8.split { FieldList.isSpace($0) }.map { String(Substring($0)) }
                .filter { FieldList.isASCII($0) },
            anchor: parameters.first { $0.name == "anchor" }?.value,
            parameters: attributes
        )
    }

    // Appendix B.3.
    private mutating func parameters() -> [WebLink.Parameter] {
        var parameters: [WebLink.Parameter] = []
        while true {
            skip(FieldList.isSpace)
            guard take(.semicolon) else {
                return parameters
            }
            skip(FieldList.isSpace)
            // A name that is not ASCII is none, and left out.
            let name = FieldList.token(
                text { !FieldList.isSpace($0) && $0 != UInt8(ascii: "=") && $0 != .semicolon && $0 != .comma }
            )
            skip(FieldList.isSpace)
            var value = ""
            if take(UInt8(ascii: "=")) {
                skip(FieldList.isSpace)
                value = quoted() ?? String(FieldList.trimmed(Substring(text { $0 != .semicolon && $0 != .comma })))
            }
            if !name.isEmpty, let value = name.hasSuffix("*") ? Self.extended(value) : value {
                parameters.append(WebLink.Parameter(name: name, value: value))
            }
        }
    }

    // Appendix B.4; an unclosed quote extends to the end of the line.
    private mutating func quoted() -> String? {
        guard take(UInt8(ascii: "\"")) else {
            return nil
        }
        var bytes: [UInt8] = []
        while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
            if byte == UInt8(ascii: "\\") {
                guard let escaped = rest.popFirst() else {
                    break
                }
                bytes.append(escaped)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the text of a value with a character set and a language (RFC 8187), as in `UTF-8'en'%C2%A3`; `nil` if it
    /// is malformed, or not in UTF-8.
    private static func extended(_ value: String) -> String? {
        let parts = value.utf8.split(separator: UInt8(ascii: "'"), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, FieldList.token(Substring(parts[0])) == "utf-8" else {
            return nil
        }
        var bytes: [UInt8] = []
        var rest = parts[2]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst()?.hexadecimalValue, let low = rest.popFirst()?.hexadecimalValue else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    // MARK: - Bytes

    private mutating func take(_ byte: UInt8) -> Bool {
        guard rest.first == byte else {
            return false
        }
        rest.removeFirst()
        return true
    }

    private mutating func skip(_ isSkipped: (UInt8) -> Bool) {
        rest = rest[(rest.firstIndex { !isSkipped($0) } ?? rest.endIndex)...]
    }

    private mutating func text(_ isTaken: (UInt8) -> Bool) -> String {
        let end = rest.firstIndex { !isTaken($0) } ?? rest.endIndex
        defer { rest = rest[end...] }
        return String(Substring(rest[..<end]))
    }
}

extension UInt8 {
    fileprivate static let comma = UInt8(ascii: ",")
    fileprivate static let semicolon = UInt8(ascii: ";")
}
