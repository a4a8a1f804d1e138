// SPDX-License-Identifier: MIT

/// Percent-encoding (RFC 3986, section 2).
package enum PercentEncoding {
    package enum Allowed {
        /// Letters, digits and `-._~`, which are safe in every part of a URL.
        case unreserved
        /// The unreserved and the reserved characters, and complete `%XX` triplets.
        case unreservedAndReserved
    }

    package static func append(_ text: some StringProtocol, allowing allowed: Allowed, to output: inout String) {
        let bytes = text.utf8
        if bytes.allSatisfy({ isUnreserved($0) || (allowed == .unreservedAndReserved && isReserved($0)) }) {
            output += text
            return
        }
        var index = bytes.startIndex
        while index != bytes.endIndex {
            let byte = bytes[index]
            let isKept =
                isUnreserved(byte)
                || (allowed == .unreservedAndReserved && (isReserved(byte) || isTriplet(bytes[index...])))
            if isKept {
                output.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                output += "%"
                output.unicodeScalars.append(hexDigits[Int(byte >> 4)])
                output.unicodeScalars.append(hexDigits[Int(byte & 15)])
            }
            index = bytes.index(after: index)
        }
    }

    package static func encode(_ text: some StringProtocol, allowing allowed: Allowed = .unreserved) -> String {
        var output = ""
        append(text, allowing: allowed, to: &output)
        return output
    }

    /// Returns the decoded text; a `%` that does not start a triplet is kept.
    package static func decode(_ text: some StringProtocol, plusIsSpace: Bool = false) -> String {
        guard text.utf8.contains(where: { $0 == UInt8(ascii: "%") || (plusIsSpace && $0 == UInt8(ascii: "+")) }) else {
            return String(text)
        }
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let high = rest.first?.hexadecimalValue,
                let low = rest.dropFirst().first?.hexadecimalValue
            {
                bytes.append(high << 4 | low)
                rest = rest.dropFirst(2)
            } else if plusIsSpace, byte == UInt8(ascii: "+") {
                bytes.append(UInt8(ascii: " "))
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static let hexDigits = Array("0123456789ABCDEF".unicodeScalars)

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        byte.isLetter || byte.isDigit || "-._~".utf8.contains(byte)
    }

    private static func isReserved(_ byte: UInt8) -> Bool {
        ":/?#[]@!$&'()*+,;=".utf8.contains(byte)
    }

    private static func isTriplet(_ bytes: some Collection<UInt8>) -> Bool {
        let triplet = Array(bytes.prefix(3))
        return triplet.count == 3 && triplet[0] == UInt8(ascii: "%")
            && triplet[1...].allSatisfy { $0.hexadecimalValue != nil }
    }
}
