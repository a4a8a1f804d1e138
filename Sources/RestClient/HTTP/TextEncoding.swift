// SPDX-License-Identifier: MIT

package import RestEssentials

/// The encoding of a text, by the labels and rules of the Encoding standard (https://encoding.spec.whatwg.org).
package enum TextEncoding: Sendable, Hashable {
    case utf8
    /// Also the encoding of `us-ascii` and `iso-8859-1`.
    case windows1252
    case latin9
    case utf16LittleEndian
    case utf16BigEndian

    private static let labels: [TextEncoding: [String]] = [
        .utf8: ["utf-8", "utf8", "unicode-1-1-utf-8", "unicode11utf8", "unicode20utf8", "x-unicode20utf8"],
        .windows1252: [
            "windows-1252", "cp1252", "x-cp1252", "us-ascii", "ascii", "ansi_x3.4-1968", "iso-8859-1", "iso8859-1",
            "iso88591", "iso_8859-1", "iso_8859-1:1987", "iso-ir-100", "latin1", "l1", "cp819", "ibm819", "csisolatin1",
        ],
        .latin9: ["iso-8859-15", "iso8859-15", "iso885915", "iso_8859-15", "csisolatin9", "l9"],
        .utf16LittleEndian: [
            "utf-16", "utf-16le", "ucs-2", "iso-10646-ucs-2", "unicode", "csunicode", "unicodefeff",
        ],
        .utf16BigEndian: ["utf-16be", "unicodefffe"],
    ]

    /// Creates an encoding by its label, in any case; `nil` if it is unknown.
    package init?(label: some StringProtocol) {
        let label = label.lowercased()
        guard let encoding = Self.labels.first(where: { $0.value.contains(label) })?.key else {
            return nil
        }
        self = encoding
    }

    /// Returns the encoding that a value of `Content-Type` names; UTF-8 if it names none.
    static func named(by contentType: String?) throws(DecodingError) -> TextEncoding {
        guard let label = label(in: contentType) else {
            return .utf8
        }
        guard let encoding = TextEncoding(label: label) else {
            throw defect("the text has the charset '\(label.prefix(40))', which is not supported; read it as Data")
        }
        return encoding
    }

    /// Returns the text of a body.
    ///
    /// A byte order mark at its beginning decides, then the parameter `charset`; the text is UTF-8 without either. The
    /// mark is not part of the text.
    package static func text(of body: Data, contentType: String?) throws(DecodingError) -> String {
        let mark = mark(of: body)
        let encoding = if let mark { mark.encoding } else { try named(by: contentType) }
        guard let text = encoding.text(of: body.dropFirst(mark?.length ?? 0)) else {
            throw defect("the text is not valid in \(encoding.name); read it as Data")
        }
        return text
    }

    /// Returns a body in UTF-8 if its charset is another one, and it is not UTF-8; `nil` otherwise.
    static func unicode(_ body: Data, contentType: String?) -> Data? {
        guard let encoding = label(in: contentType).flatMap({ TextEncoding(label: $0) }), encoding != .utf8,
            encoding.unitLength == 2 || String(validating: body, as: UTF8.self) == nil
        else {
            return nil
        }
        return try? Data(text(of: body, contentType: contentType).utf8)
    }

    package static func label(in contentType: String?) -> String? {
        guard let contentType, contentType.utf8.contains(UInt8(ascii: ";")),
            let label = FieldParameters(FieldList.last(of: contentType).utf8)?.parameters["charset"]
        else {
            return nil
        }
        // Some servers use the quotation marks of other languages.
        let name = label.trimmingPrefix("'").prefix { $0 != "'" }
        return name.isEmpty ? nil : String(name)
    }

    private static func defect(_ reason: String) -> DecodingError {
        .dataCorrupted(DecodingError.Context(codingPath: [], debugDescription: reason))
    }

    static func mark(of bytes: Data) -> (encoding: TextEncoding, length: Int)? {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            (.utf8, 3)
        } else if bytes.starts(with: [0xFE, 0xFF]) {
            (.utf16BigEndian, 2)
        } else if bytes.starts(with: [0xFF, 0xFE]) {
            (.utf16LittleEndian, 2)
        } else {
            nil
        }
    }

    private var name: String {
        switch self {
        case .utf8: "UTF-8"
        case .windows1252: "windows-1252"
        case .latin9: "ISO-8859-15"
        case .utf16LittleEndian, .utf16BigEndian: "UTF-16"
        }
    }
}

// MARK: - Decoding

extension TextEncoding {
    /// The characters of the bytes 80 to 9F in windows-1252, as index-windows-1252 has them.
    private static let windowsCharacters: [UInt16] = [
        0x20AC, 0x0081, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x008D,
        0x017D, 0x008F, 0x0090, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A,
        0x0153, 0x009D, 0x017E, 0x0178,
    ]
    /// The bytes that mean another character in ISO-8859-15 than in Unicode.
    private static let latin9Characters: [UInt8: UInt16] = [
        0xA4: 0x20AC, 0xA6: 0x0160, 0xA8: 0x0161, 0xB4: 0x017D, 0xB8: 0x017E, 0xBC: 0x0152, 0xBD: 0x0153, 0xBE: 0x0178,
    ]

    var unitLength: Int { self == .utf16LittleEndian || self == .utf16BigEndian ? 2 : 1 }

    /// Returns bytes as text, without a byte order mark; `nil` if they are not valid.
    private func text(of bytes: Data) -> String? {
        if self == .utf8 {
            return String(validating: bytes, as: UTF8.self)
        }
        return bytes.count.isMultiple(of: unitLength) ? String(validating: units(of: bytes), as: UTF16.self) : nil
    }

    func units(of bytes: Data) -> [UInt16] {
        switch self {
        case .utf8:
            return Array(String(decoding: bytes, as: UTF8.self).utf16)
        case .windows1252:
            return bytes.map { (0x80...0x9F).contains($0) ? Self.windowsCharacters[Int($0) - 0x80] : UInt16($0) }
        case .latin9:
            return bytes.map { Self.latin9Characters[$0] ?? UInt16($0) }
        case .utf16LittleEndian, .utf16BigEndian:
            let bytes = [UInt8](bytes)
            let low = self == .utf16LittleEndian ? 0 : 1
            return stride(from: 0, to: bytes.count - 1, by: 2)
                .map { UInt16(bytes[$0 + low]) | UInt16(bytes[$0 + 1 - low]) << 8 }
        }
    }
}
