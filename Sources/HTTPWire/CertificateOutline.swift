// SPDX-License-Identifier: MIT

import RestEssentials
import SwiftASN1

/// The parts of a certificate (RFC 5280) that decide whether it is strong enough, and whose it is.
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
    /// The names and the addresses of its owner; `nil` without a subject alternative name.
    private let owners: Owners?

    private struct Owners {
        var names: [[UInt8]] = []
        var addresses: [[UInt8]] = []
    }

    var hasAlternativeName: Bool { owners != nil }

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
        owners = try extensions.flatMap(Self.owners)
    }

    private static func owners(_ tagged: ASN1Node) throws -> Owners? {
        guard let list = try children(of: tagged).first else {
            return nil
        }
        for part in try children(of: list).map(children) where try part.first.map(identifier) == alternativeName {
            guard let value = part.last, case .primitive(let bytes) = value.content else {
                throw Malformed()
            }
            var owners = Owners()
            for name in try children(of: try DER.parse(bytes)) {
                guard case .primitive(let bytes) = name.content, name.identifier.tagClass == .contextSpecific else {
                    continue
                }
                switch name.identifier.tagNumber {
                case 2: owners.names.append(Array(bytes))
                case 7: owners.addresses.append(Array(bytes))
                default: break
                }
            }
            return owners
        }
        return nil
    }

    // MARK: - Names

    /// Returns true if the certificate is for a host (RFC 9525, section 6).
    ///
    /// - Parameter host: The name, or the address without brackets.
    /// - Returns: True if one of its names is that of the host; an asterisk stands for the whole first label alone.
    func isFor(_ host: String) -> Bool {
        guard let owners else {
            return false
        }
        if let address = AddressText.bytes(host) {
            return owners.addresses.contains(address)
        }
        let name = Self.labels(Array(host.utf8))
        return owners.names.contains { presented in
            let presented = Self.labels(presented)
            guard presented.first == [UInt8(ascii: "*")] else {
                return presented == name
            }
            return presented.count > 2 && presented.dropFirst() == name.dropFirst()
        }
    }

    /// Returns the labels of a name in lower case; none if one of them is empty, but for the one at the end.
    private static func labels(_ name: [UInt8]) -> [[UInt8]] {
        var labels = name.map { $0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0 }
            .split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            .map { Array($0) }
        if labels.count > 1, labels.last?.isEmpty == true {
            labels.removeLast()
        }
        return labels.contains(where: \.isEmpty) ? [[]] : labels
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
