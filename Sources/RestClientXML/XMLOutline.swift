// SPDX-License-Identifier: MIT

#if XML

import Foundation

/// Checks the outline of a document before a parser sees it: a pure function of its bytes.
///
/// Foundation's parser, which is libxml2, has no limit to the depth of a document, needs minutes for an element with a
/// hundred thousand attributes, and on Linux drops the text of declared entities without a word; XMLCoder recurses into
/// every level. So a document has to be a single element without a document type, in an encoding whose markup has the
/// bytes of ASCII, within limits. Everything else (names, attributes, characters) is left to the parser.
struct XMLOutline {
    static let depthLimit = 128
    static let attributeLimit = 256
    /// The maximum number of bytes that XMLCoder may copy: it copies the text that it has for each further piece.
    static let copyLimit: UInt64 = 8 << 30
    /// The bytes beyond ASCII that a name may have in a row.
    static let nameLimit = 512

    /// The bytes of a text that the parser may deliver at a time.
    private static let pieceLength = 256

    private let bytes: [UInt8]
    private var position = 0
    private var depth = 0
    private var hasRoot = false
    private var textLength = 0
    private var copied: UInt64 = 0

    private init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    static func check(_ document: Data) throws(XMLRefusal) {
        var outline = XMLOutline([UInt8](document))
        try outline.check()
    }

    private mutating func check() throws(XMLRefusal) {
        try checkBeginning()
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "<"):
                try markup()
            case UInt8(ascii: "&"):
                try reference()
                try addText(1)
            default:
                try passText()
            }
        }
        guard hasRoot, depth == 0 else {
            throw .incomplete
        }
    }

    private mutating func checkBeginning() throws(XMLRefusal) {
        // No text of another encoding than UTF-16 and UTF-32 contains zeros.
        guard !bytes.contains(0) else {
            throw .encoding("UTF-16 or UTF-32")
        }
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            position = 3
        }
        while position < bytes.count, [0x09, 0x0A, 0x0D, 0x20].contains(bytes[position]) {
            position += 1
        }
        guard position < bytes.count else {
            throw .incomplete
        }
        guard bytes[position] == UInt8(ascii: "<") else {
            throw .noElement
        }
    }

    private func starts(with text: String) -> Bool {
        bytes[position...].starts(with: text.utf8)
    }

    private mutating func markup() throws(XMLRefusal) {
        if starts(with: "<!--") {
            try skip(4, to: "-->")
        } else if starts(with: "<![CDATA[") {
            let start = position
            try skip(9, to: "]]>")
            try addText(position - start)
        } else if starts(with: "<!") {
            throw .documentType
        } else if starts(with: "<?") {
            let start = position
            try skip(2, to: "?>")
            try checkEncoding(of: bytes[start..<position])
        } else if starts(with: "</") {
            try skip(2, to: ">")
            depth -= 1
            textLength = 0
            guard depth >= 0 else {
                throw .incomplete
            }
        } else {
            try startTag()
        }
    }

    private mutating func skip(_ count: Int, to end: String) throws(XMLRefusal) {
        let first = end.utf8.first
        position = min(position + count, bytes.count)
        while position < bytes.count {
            if bytes[position] == first, starts(with: end) {
                position += end.utf8.count
                return
            }
            position += 1
        }
        throw .incomplete
    }

    private mutating func startTag() throws(XMLRefusal) {
        var attributes = 0
        var isEmpty = false
        // The parser compares names, which takes long for many combining marks in a row; each has two bytes or more.
        var beyondASCII = 0
        position += 1
        while position < bytes.count, bytes[position] != UInt8(ascii: ">") {
            let byte = bytes[position]
            isEmpty = byte == UInt8(ascii: "/")
            position += 1
            beyondASCII = byte < 0x80 ? 0 : beyondASCII + 1
            guard beyondASCII <= Self.nameLimit else {
                throw .name
            }
            guard byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") else {
                continue
            }
            attributes += 1
            try skipValue(endingWith: byte)
        }
        guard position < bytes.count else {
            throw .incomplete
        }
        position += 1
        guard attributes <= Self.attributeLimit else {
            throw .attributes
        }
        guard depth > 0 || !hasRoot else {
            throw .incomplete
        }
        hasRoot = true
        textLength = 0
        if !isEmpty {
            depth += 1
            guard depth <= Self.depthLimit else {
                throw .depth
            }
        }
    }

    private mutating func skipValue(endingWith quote: UInt8) throws(XMLRefusal) {
        while position < bytes.count, bytes[position] != quote {
            if bytes[position] == UInt8(ascii: "&") {
                try reference()
            } else {
                position += 1
            }
        }
        position += 1
    }
}

// MARK: - Text

extension XMLOutline {
    /// Passes text up to the next markup, reference or carriage return, at which the parser may divide it.
    private mutating func passText() throws(XMLRefusal) {
        let start = position
        position += 1
        while position < bytes.count {
            let byte = bytes[position]
            guard byte != 0x0D, byte != UInt8(ascii: "<"), byte != UInt8(ascii: "&") else {
                break
            }
            position += 1
        }
        try addText(position - start)
    }

    private mutating func addText(_ length: Int) throws(XMLRefusal) {
        let pieces = UInt64(1 + length / Self.pieceLength)
        textLength += length
        copied += pieces * UInt64(textLength)
        guard copied <= Self.copyLimit else {
            throw .text
        }
    }

    private mutating func reference() throws(XMLRefusal) {
        let name = bytes[(position + 1)...].prefix(10).prefix(while: { $0 != UInt8(ascii: ";") })
        guard name.first == UInt8(ascii: "#") || Self.entities.contains(where: { name.elementsEqual($0.utf8) }) else {
            throw .entity
        }
        position += 1 + name.count
    }

    private static let entities = ["amp", "lt", "gt", "quot", "apos"]
}

// MARK: - Encoding

extension XMLOutline {
    private func checkEncoding(of instruction: ArraySlice<UInt8>) throws(XMLRefusal) {
        let text = String(decoding: instruction.dropFirst(2).dropLast(2), as: UTF8.self)
        let words = text.split(maxSplits: 1, whereSeparator: \.isWhitespace)
        guard words.count == 2, words[0] == "xml", let label = words[1].firstRange(of: "encoding") else {
            return
        }
        let name = words[1][label.upperBound...].drop { $0.isWhitespace || $0 == "=" || $0 == "\"" || $0 == "'" }
            .prefix { !$0.isWhitespace && $0 != "\"" && $0 != "'" }
            .lowercased()
        let isKnown =
            ["utf-8", "utf8", "us-ascii", "ascii"].contains(name) || name.hasPrefix("iso-8859-")
            || name.hasPrefix("windows-125")
        guard isKnown else {
            throw .encoding("'\(name.prefix(40))'")
        }
    }
}

enum XMLRefusal: Error, Equatable {
    /// It has a document type, which may declare entities.
    case documentType
    /// It refers to an entity that it cannot have declared.
    case entity
    case depth
    case attributes
    case name
    case text
    case encoding(String)
    case noElement
    /// It is not one element: it ends too early or too late.
    case incomplete

    var sentence: String {
        switch self {
        case .documentType:
            "it has a document type; only documents without declarations and entities are parsed"
        case .entity:
            "it refers to an entity; only characters, amp, lt, gt, quot and apos can be referred to"
        case .depth:
            "its elements are nested more than \(XMLOutline.depthLimit) levels deep"
        case .attributes:
            "an element has more than \(XMLOutline.attributeLimit) attributes"
        case .name:
            "a name has more than \(XMLOutline.nameLimit) bytes beyond ASCII in a row"
        case .text:
            "its texts are too long, or consist of too many pieces"
        case .encoding(let name):
            "its encoding is \(name); only UTF-8, US-ASCII, ISO-8859 and windows-125x are parsed"
        case .noElement:
            "it is not XML: it does not begin with '<'"
        case .incomplete:
            "it is not one complete element"
        }
    }
}

#endif
