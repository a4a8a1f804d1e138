// SPDX-License-Identifier: MIT

import RestEssentials

/// The words of a command as a POSIX shell reads it, without anything that a shell would replace or run: pure.
///
/// Line breaks separate words, so that a command of several lines may have lost its backslashes. Beside the quotes of
/// POSIX it reads `$'…'`, which browsers and bash write.
struct ShellWords {
    private(set) var words: [String] = []
    private var rest: Substring.UnicodeScalarView
    /// The bytes of the current word; `nil` between words.
    private var word: [UInt8]?

    init(_ text: String) throws(RestClientError) {
        rest = Substring(text).unicodeScalars
        while let scalar = rest.popFirst() {
            switch scalar {
            case " ", "\t", "\n", "\r": try endWord()
            case "\\": takeEscaped()
            case "'": try takeLiteral()
            case "\"": try takeQuoted()
            case "$" where rest.first == "'":
                rest.removeFirst()
                try takeEscapes()
            case "$", "`", "|", "&", ";", "<", ">", "(", ")":
                throw Self.defect(
                    "has '\(scalar)' outside of quotes, where a shell does not pass it on; put the argument in single quotes"
                )
            case "^": throw Self.defect("is written for the Windows command line; copy it for bash")
            default: append(scalar)
            }
        }
        try endWord()
    }

    static func defect(_ reason: String) -> RestClientError {
        RestClientError(.invalidCurlCommand, "the curl command \(reason)")
    }

    private static let unterminated = "has a quotation mark without its counterpart"

    private mutating func append(_ scalar: Unicode.Scalar) {
        word = word ?? []
        word?.append(contentsOf: String(scalar).utf8)
    }

    private mutating func endWord() throws(RestClientError) {
        guard let bytes = word else {
            return
        }
        guard let text = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else {
            throw Self.defect("has an argument that is not text")
        }
        words.append(text)
        word = nil
    }

    private mutating func takeEscaped() {
        guard let scalar = rest.popFirst() else {
            return
        }
        if scalar == "\r", rest.first == "\n" {
            rest.removeFirst()
        } else if scalar != "\n" {
            append(scalar)
        }
    }

    private mutating func takeLiteral() throws(RestClientError) {
        word = word ?? []
        while let scalar = rest.popFirst() {
            guard scalar != "'" else {
                return
            }
            append(scalar)
        }
        throw Self.defect(Self.unterminated)
    }

    private mutating func takeQuoted() throws(RestClientError) {
        word = word ?? []
        while let scalar = rest.popFirst() {
            switch scalar {
            case "\"":
                return
            case "$", "`":
                throw Self.defect(
                    "has '\(scalar)' within double quotes, which a shell replaces; write the value itself"
                )
            case "\\":
                guard let next = rest.first, "$`\"\\\n".unicodeScalars.contains(next) else {
                    append(scalar)
                    continue
                }
                takeEscaped()
            default:
                append(scalar)
            }
        }
        throw Self.defect(Self.unterminated)
    }

    // MARK: - The quotes of bash

    private mutating func takeEscapes() throws(RestClientError) {
        word = word ?? []
        while let scalar = rest.popFirst() {
            switch scalar {
            case "'": return
            case "\\": try takeEscape()
            default: append(scalar)
            }
        }
        throw Self.defect(Self.unterminated)
    }

    private mutating func takeEscape() throws(RestClientError) {
        guard let scalar = rest.popFirst() else {
            throw Self.defect(Self.unterminated)
        }
        switch scalar {
        case "n": append("\n")
        case "t": append("\t")
        case "r": append("\r")
        case "a": append("\u{07}")
        case "b": append("\u{08}")
        case "e", "E": append("\u{1B}")
        case "f": append("\u{0C}")
        case "v": append("\u{0B}")
        case "\\", "'", "\"", "?": append(scalar)
        case "x": appendByte(takeNumber(radix: 16, digits: 2))
        case "0"..."7": appendByte(takeNumber("\(scalar)", radix: 8, digits: 2))
        case "u", "U":
            guard let number = takeNumber(radix: 16, digits: scalar == "u" ? 4 : 8),
                let scalar = Unicode.Scalar(number)
            else {
                throw Self.defect("has an escape sequence that names no character")
            }
            append(scalar)
        default:
            append("\\")
            append(scalar)
        }
    }

    private mutating func appendByte(_ number: UInt32?) {
        word?.append(UInt8(truncatingIfNeeded: number ?? 0))
    }

    private mutating func takeNumber(_ first: String = "", radix: Int, digits: Int) -> UInt32? {
        var text = first
        while text.unicodeScalars.count < digits + first.unicodeScalars.count, let scalar = rest.first,
            Int("\(scalar)", radix: radix) != nil
        {
            text.unicodeScalars.append(scalar)
            rest.removeFirst()
        }
        return UInt32(text, radix: radix)
    }
}
