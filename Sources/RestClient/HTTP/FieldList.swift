// SPDX-License-Identifier: MIT

/// Splits field values that are lists (RFC 9110, section 5.6.1).
package enum FieldList {
    /// Returns the elements of a value, without surrounding white space and without empty ones.
    ///
    /// A comma between quotes does not separate elements. If a quote is never closed, neither it nor any quote after it
    /// counts: otherwise the rest of the value would disappear in an unterminated text.
    static func elements(of value: String) -> [Substring] {
        let bytes = value.utf8
        var elements: [Substring] = []
        var start = bytes.startIndex
        var index = start
        var knowsQuotes = true
        while index < bytes.endIndex {
            let next = bytes.index(after: index)
            if bytes[index] == UInt8(ascii: "\""), knowsQuotes {
                if let end = closing(in: bytes, from: next) {
                    index = bytes.index(after: end)
                    continue
                }
                knowsQuotes = false
            } else if bytes[index] == UInt8(ascii: ",") {
                append(value[start..<index], to: &elements)
                start = next
            }
            index = next
        }
        append(value[start...], to: &elements)
        return elements
    }

    package static func elements(of lines: [String]) -> [Substring] {
        lines.flatMap { elements(of: $0) }
    }

    package static func trimmed(_ text: Substring) -> Substring {
        let bytes = text.utf8
        guard let first = bytes.firstIndex(where: { !isSpace($0) }),
            let last = bytes.lastIndex(where: { !isSpace($0) })
        else {
            return text[bytes.endIndex...]
        }
        return text[first..<bytes.index(after: last)]
    }

    /// Returns a token in lower case (RFC 9110, section 5.6.2); an empty text if it is not ASCII, which no name is.
    ///
    /// What servers send is compared only after this: Swift compares texts by their characters, in a time that grows
    /// with the square of a run of combining marks.
    package static func token(_ text: some StringProtocol) -> String {
        isASCII(text) ? text.lowercased() : ""
    }

    package static func isASCII(_ text: some StringProtocol) -> Bool {
        text.utf8.allSatisfy { $0 < 0x80 }
    }

    /// Returns true for ASCII digits, of which there is at least one.
    static func isNumber(_ text: some StringProtocol) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy(\.isDigit)
    }

    /// Returns the media type of a `Content-Type` without its parameters: of a field that comes twice, the last one.
    static func essence(of contentType: String) -> Substring {
        trimmed(Substring(last(of: contentType).utf8.prefix { $0 != UInt8(ascii: ";") }))
    }

    /// Returns the last value of a field that has one value, and may have been sent twice.
    static func last(of value: String) -> Substring {
        value.utf8.contains(UInt8(ascii: ",")) ? elements(of: value).last ?? "" : value[...]
    }

    /// Returns the text of bytes that are a name; an empty text if they are not ASCII.
    static func name(_ bytes: some Collection<UInt8>) -> String {
        bytes.allSatisfy { $0 < 0x80 } ? String(decoding: bytes, as: UTF8.self) : ""
    }

    /// Returns the text between quotes, unescaped; any other text as it is.
    package static func unquoted(_ text: Substring) -> String {
        let bytes = text.utf8
        guard bytes.count >= 2, bytes.first == UInt8(ascii: "\""), bytes.last == UInt8(ascii: "\"") else {
            return String(text)
        }
        var result: [UInt8] = []
        var isEscaped = false
        for byte in bytes.dropFirst().dropLast() {
            if byte == UInt8(ascii: "\\") && !isEscaped {
                isEscaped = true
            } else {
                result.append(byte)
                isEscaped = false
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func append(_ text: Substring, to elements: inout [Substring]) {
        let text = trimmed(text)
        if !text.isEmpty {
            elements.append(text)
        }
    }

    private static func closing(in bytes: String.UTF8View, from start: String.Index) -> String.Index? {
        var index = start
        while index < bytes.endIndex {
            if bytes[index] == UInt8(ascii: "\"") {
                return index
            }
            if bytes[index] == UInt8(ascii: "\\") {
                index = bytes.index(after: index)
                guard index < bytes.endIndex else {
                    return nil
                }
            }
            index = bytes.index(after: index)
        }
        return nil
    }

    static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09
    }
}
