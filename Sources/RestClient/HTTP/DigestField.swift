// SPDX-License-Identifier: MIT

import RestEssentials

/// A digest that a server gives of what it sends (RFC 9530).
///
/// `Content-Digest` is that of the content of one response, `Repr-Digest` that of the whole representation, also in a
/// 206. Both are taken over the bytes before a content coding is removed.
struct DigestField: Sendable, Hashable, Codable {
    /// The algorithms that resist an attacker (RFC 9530, section 5), the strongest first.
    enum Algorithm: String, Sendable, CaseIterable, Codable {
        case sha512 = "sha-512"
        case sha256 = "sha-256"

        var length: Int { self == .sha512 ? 64 : 32 }
    }

    let algorithm: Algorithm
    let value: Data

    /// The value of `Want-Repr-Digest` or `Want-Content-Digest` that asks for one of the algorithms (section 4).
    static let preference = "sha-512=10, sha-256=5"

    /// Returns the digest by the strongest algorithm that is known.
    ///
    /// The field is a dictionary of structured fields (RFC 9651). A member of another kind, by another algorithm, or of
    /// a wrong length is passed over: MD5, SHA and checksums prove nothing.
    static func strongest(in lines: [String]) -> DigestField? {
        var values: [Algorithm: Data] = [:]
        for element in FieldList.elements(of: lines) {
            // Keys are lower case in structured fields.
            guard FieldList.isASCII(element), let equals = element.firstIndex(of: "="),
                let algorithm = Algorithm(rawValue: String(element[..<equals]))
            else {
                continue
            }
            // Of equal keys, the last one counts (RFC 9651, section 4.2.2).
            values[algorithm] = bytes(element[element.index(after: equals)...])
        }
        return Algorithm.allCases.first { values[$0]?.count == $0.length }
            .flatMap { algorithm in values[algorithm].map { DigestField(algorithm: algorithm, value: $0) } }
    }

    /// Returns the bytes of a byte sequence, as in `:YWJj:`, whose parameters have no meaning here.
    private static func bytes(_ text: Substring) -> Data? {
        let item = FieldList.trimmed(text.prefix { $0 != ";" })
        guard item.utf8.count >= 2, item.first == ":", item.last == ":" else {
            return nil
        }
        var base64 = String(item.dropFirst().dropLast())
        // Padding may be left out (RFC 9651, section 4.2.7).
        base64 += String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)
        return Data(base64Encoded: base64)
    }
}
