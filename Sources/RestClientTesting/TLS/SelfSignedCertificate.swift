// SPDX-License-Identifier: MIT

import Crypto
import RestEssentials
import SwiftASN1

/// An X.509 certificate (RFC 5280) signed by its own key.
struct SelfSignedCertificate {
    let key: P256.Signing.PrivateKey
    let names: [String]
    let notBefore: CalendarTime
    let notAfter: CalendarTime

    func derBytes() throws -> [UInt8] {
        var body = DER.Serializer()
        try body.appendConstructedNode(identifier: .sequence) { body in try serializeBody(into: &body) }
        let signature = try key.signature(for: body.serializedBytes).derRepresentation

        var certificate = DER.Serializer()
        try certificate.appendConstructedNode(identifier: .sequence) { certificate in
            certificate.serializeRawBytes(body.serializedBytes)
            try serializeAlgorithm(into: &certificate)
            try certificate.serialize(ASN1BitString(bytes: Array(signature)[...]))
        }
        return certificate.serializedBytes
    }

    private func serializeBody(into body: inout DER.Serializer) throws {
        // Version 3, counted from zero.
        try body.serialize(UInt8(2), explicitlyTaggedWithTagNumber: 0, tagClass: .contextSpecific)
        try body.serialize(UInt64.random(in: 1...UInt64(Int64.max)))
        try serializeAlgorithm(into: &body)
        try serializeName(into: &body)
        try body.appendConstructedNode(identifier: .sequence) { validity in
            try notBefore.serialize(into: &validity)
            try notAfter.serialize(into: &validity)
        }
        try serializeName(into: &body)
        body.serializeRawBytes(key.publicKey.derRepresentation)
        let extensions = ASN1Identifier(tagWithNumber: 3, tagClass: .contextSpecific)
        try body.appendConstructedNode(identifier: extensions) { body in
            try body.appendConstructedNode(identifier: .sequence) { extensions in
                try serializeExtensions(into: &extensions)
            }
        }
    }

    private func serializeAlgorithm(into serializer: inout DER.Serializer) throws {
        try serializer.appendConstructedNode(identifier: .sequence) { algorithm in
            try algorithm.serialize([1, 2, 840, 10_045, 4, 3, 2] as ASN1ObjectIdentifier)
        }
    }

    /// Writes a name with one part, the common name, which is the same for issuer and subject.
    private func serializeName(into serializer: inout DER.Serializer) throws {
        try serializer.appendConstructedNode(identifier: .sequence) { name in
            try name.appendConstructedNode(identifier: .set) { part in
                try part.appendConstructedNode(identifier: .sequence) { attribute in
                    try attribute.serialize([2, 5, 4, 3] as ASN1ObjectIdentifier)
                    try attribute.serialize(ASN1UTF8String(names.first ?? "test"))
                }
            }
        }
    }

    private func serializeExtensions(into extensions: inout DER.Serializer) throws {
        // Basic constraints: an authority, since it signs itself.
        try serializeExtension([2, 5, 29, 19], isCritical: true, into: &extensions) { value in
            try value.appendConstructedNode(identifier: .sequence) { constraints in try constraints.serialize(true) }
        }
        // Key usage: digitalSignature (bit 0) and keyCertSign (bit 5).
        try serializeExtension([2, 5, 29, 15], isCritical: true, into: &extensions) { value in
            try value.serialize(ASN1BitString(bytes: [0b1000_0100], paddingBits: 2))
        }
        // Extended key usage: server and client.
        try serializeExtension([2, 5, 29, 37], isCritical: false, into: &extensions) { value in
            try value.appendConstructedNode(identifier: .sequence) { usages in
                try usages.serialize([1, 3, 6, 1, 5, 5, 7, 3, 1] as ASN1ObjectIdentifier)
                try usages.serialize([1, 3, 6, 1, 5, 5, 7, 3, 2] as ASN1ObjectIdentifier)
            }
        }
        // Subject key identifier.
        try serializeExtension([2, 5, 29, 14], isCritical: false, into: &extensions) { value in
            let digest = SHA256.hash(data: key.publicKey.x963Representation)
            try value.serialize(ASN1OctetString(contentBytes: Array(digest.prefix(20))[...]))
        }
        // Subject alternative names.
        try serializeExtension([2, 5, 29, 17], isCritical: false, into: &extensions) { value in
            try value.appendConstructedNode(identifier: .sequence) { alternatives in
                for name in names {
                    let (tag, bytes) = try Self.alternativeName(name)
                    let identifier = ASN1Identifier(tagWithNumber: tag, tagClass: .contextSpecific)
                    alternatives.appendPrimitiveNode(identifier: identifier) { content in content += bytes }
                }
            }
        }
    }

    private func serializeExtension(
        _ identifier: ASN1ObjectIdentifier,
        isCritical: Bool,
        into extensions: inout DER.Serializer,
        _ serializeValue: (inout DER.Serializer) throws -> Void
    ) throws {
        var value = DER.Serializer()
        try serializeValue(&value)
        try extensions.appendConstructedNode(identifier: .sequence) { serializer in
            try serializer.serialize(identifier)
            if isCritical {
                try serializer.serialize(true)
            }
            try serializer.serialize(ASN1OctetString(contentBytes: value.serializedBytes[...]))
        }
    }

    /// Returns the tag and the bytes of a general name: 7 for an IP address, 2 for a DNS name.
    private static func alternativeName(_ name: String) throws -> (tag: UInt, bytes: [UInt8]) {
        var (version4, version6) = (in_addr(), in6_addr())
        if unsafe inet_pton(AF_INET, name, &version4) == 1 {
            return (7, unsafe withUnsafeBytes(of: version4) { unsafe Array($0) })
        }
        if unsafe inet_pton(AF_INET6, name, &version6) == 1 {
            return (7, unsafe withUnsafeBytes(of: version6) { unsafe Array($0) })
        }
        return (2, Array(try ASN1IA5String(name).bytes))
    }
}
