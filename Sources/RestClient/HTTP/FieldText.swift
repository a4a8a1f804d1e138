// SPDX-License-Identifier: MIT

package import HTTPTypes

/// The text of bytes that need not be UTF-8, such as those of a field value (RFC 9110, section 5.5).
///
/// Text that is UTF-8 stays as it is. Each other byte is represented by one of the last 128 characters of Unicode,
/// which have no meaning, so that the bytes come back when the text is sent or stored again.
package enum FieldText {
    private static let first: UInt32 = 0x10_FF80

    package static func text(of bytes: some Collection<UInt8>) -> String {
        decoded(bytes) { byte, text in
            text.unicodeScalars.append(Unicode.Scalar(first + UInt32(byte & 0x7F)) ?? "\u{FFFD}")
        }
    }

    /// Returns the text of a URL reference: bytes that are not UTF-8 are percent-encoded.
    package static func reference(of bytes: some Collection<UInt8>) -> String {
        decoded(bytes) { byte, text in
            text += "%" + String(byte, radix: 16, uppercase: true)
        }
    }

    package static func bytes(of text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            if scalar.value >= first {
                bytes.append(UInt8(truncatingIfNeeded: scalar.value))
            } else {
                bytes.append(contentsOf: Unicode.UTF8.encode(scalar) ?? Unicode.UTF8.encodedReplacementCharacter)
            }
        }
        return bytes
    }

    private static func decoded(
        _ bytes: some Collection<UInt8>,
        _ appendByte: (UInt8, inout String) -> Void
    ) -> String {
        let bytes = Array(bytes)
        var text = ""
        var position = 0
        var iterator = bytes.makeIterator()
        var parser = Unicode.UTF8.ForwardParser()
        while true {
            switch parser.parseScalar(from: &iterator) {
            case .valid(let encoded):
                let scalar = Unicode.UTF8.decode(encoded)
                if scalar.value < first {
                    text.unicodeScalars.append(scalar)
                } else {
                    // Otherwise it would come back as the byte that it represents.
                    for byte in encoded {
                        appendByte(byte, &text)
                    }
                }
                position += encoded.count
            case .error(let length):
                for byte in bytes[position..<position + length] {
                    appendByte(byte, &text)
                }
                position += length
            case .emptyInput:
                return text
            }
        }
    }
}

extension HTTPField {
    package var text: String {
        let value = value
        // Others have neither the replacement character, which stands for what is not UTF-8, nor the last of Unicode.
        guard value.utf8.contains(where: { $0 == 0xEF || $0 == 0xF4 }) else {
            return value
        }
        return unsafe withUnsafeBytesOfValue { unsafe FieldText.text(of: $0) }
    }

    package init(name: Name, text: String) {
        if text.unicodeScalars.contains(where: { $0.value >= 0x10_FF80 }) {
            self.init(name: name, value: FieldText.bytes(of: text))
        } else {
            self.init(name: name, value: text)
        }
    }

    /// The value as a URL reference, whose bytes outside UTF-8 are percent-encoded.
    package var reference: String {
        value.utf8.contains(0xEF) ? unsafe withUnsafeBytesOfValue { unsafe FieldText.reference(of: $0) } : value
    }
}

extension HTTPFields {
    /// All fields as bytes, those of different names in the order of the names.
    ///
    /// It is what to compare and to hash: `HTTPFields` compares text by canonical equivalence, for which values are
    /// equal if they differ only outside of UTF-8, and which takes a quadratic time for some values of a server.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        for field in sorted(by: { $0.name.canonicalName < $1.name.canonicalName }) {
            bytes += field.name.canonicalName.utf8
            bytes.append(UInt8(ascii: ":"))
            unsafe field.withUnsafeBytesOfValue { unsafe bytes += $0 }
            // No value has one.
            bytes.append(UInt8(ascii: "\n"))
        }
        return bytes
    }

    package func texts(_ name: HTTPField.Name) -> [String] {
        guard contains(name) else {
            return []
        }
        return self[fields: name].map(\.text)
    }

    /// Returns the text of a field, its values joined by commas; `nil` if it is missing.
    package func text(_ name: HTTPField.Name) -> String? {
        let texts = texts(name)
        return texts.isEmpty ? nil : texts.joined(separator: name == .cookie ? "; " : ", ")
    }

    package mutating func set(_ name: HTTPField.Name, text: String?) {
        self[fields: name] = text.map { [HTTPField(name: name, text: $0)] } ?? []
    }

    package func reference(_ name: HTTPField.Name) -> String? {
        self[fields: name].first.map(\.reference)
    }
}
