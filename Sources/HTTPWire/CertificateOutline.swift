// SPDX-License-Identifier: MIT

import SwiftASN1

/// The parts of a certificate (RFC 5280) that decide whether it is strong enough.
struct CertificateOutline {
    private struct Malformed: Error {}

    private static let brokenHashes: [ASN1ObjectIdentifier: String] = [
        [1, 2, 840, 113_549, 1, 1, 2]: "MD2",
        [1, 2, 840, 113_549, 1, 1, 4]: "MD5",
        [1, 2, 840, 113_549, 1, 1, 5]: "SHA-1",
        [1, 2, 840, 10_045, 4, 1]: "SHA-1",
        [1, 2, 840, 10_040, 4, 3]: "SHA-1",
    ]
    private static let rsa: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 1, 1]
    private static let alternativeName: ASN1ObjectIdentifier = [2, 5, 29, 17]

    /// The name of the hash of the signature, if that is broken.
    let brokenHash: String?
    /// The number of bits of the modulus; `nil` for keys that are not RSA.
    let bitsOfRSA: Int?
    let hasAlternativeName: Bool

    /// Reads a certificate.
    ///
    /// - Throws: An error if it is not one.
    init(_ bytes: [UInt8]) throws {
        let parts = try Self.children(of: try DER.parse(bytes))
        guard parts.count == 3 else {
            throw Malformed()
        }
        brokenHash = Self.brokenHashes[try Self.algorithm(parts[1])]
        var fields = try Self.children(of: parts[0])[...]
        if fields.first?.identifier == ASN1Identifier(tagWithNumber: 0, tagClass: .contextSpecific) {
            fields = fields.dropFirst()
        }
        // Serial number, signature, issuer, validity, subject, key, and what may follow.
        guard fields.count >= 6 else {
            throw Malformed()
        }
        bitsOfRSA = try Self.bits(ofKey: fields[fields.startIndex + 5])
        let extensions = fields.first {
            $0.identifier == ASN1Identifier(tagWithNumber: 3, tagClass: .contextSpecific)
        }
        hasAlternativeName = try extensions.map(Self.hasAlternativeName) ?? false
    }

    private static func hasAlternativeName(_ tagged: ASN1Node) throws -> Bool {
        guard let list = try children(of: tagged).first else {
            return false
        }
        return try children(of: list).contains { try children(of: $0).first.map(identifier) == alternativeName }
    }

    private static func bits(ofKey node: ASN1Node) throws -> Int? {
        let parts = try children(of: node)
        guard parts.count == 2 else {
            throw Malformed()
        }
        guard try algorithm(parts[0]) == rsa else {
            return nil
        }
        let key = try children(of: try DER.parse(try ASN1BitString(derEncoded: parts[1]).bytes))
        guard let modulus = key.first, case .primitive(let digits) = modulus.content else {
            throw Malformed()
        }
        let significant = digits.drop { $0 == 0 }
        guard let first = significant.first else {
            throw Malformed()
        }
        return significant.count * 8 - first.leadingZeroBitCount
    }

    private static func algorithm(_ node: ASN1Node) throws -> ASN1ObjectIdentifier {
        guard let first = try children(of: node).first else {
            throw Malformed()
        }
        return try identifier(first)
    }

    private static func identifier(_ node: ASN1Node) throws -> ASN1ObjectIdentifier {
        try ASN1ObjectIdentifier(derEncoded: node)
    }

    private static func children(of node: ASN1Node) throws -> [ASN1Node] {
        guard case .constructed(let nodes) = node.content else {
            throw Malformed()
        }
        return Array(nodes)
    }
}
