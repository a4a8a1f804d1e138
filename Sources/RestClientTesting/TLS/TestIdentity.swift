// SPDX-License-Identifier: MIT

import Crypto
package import NIOSSL
import RestEssentials
import SwiftASN1

/// A server's certificate and key, generated when the test runs.
///
/// The certificate is signed by its own P-256 key. A client that trusts it as a root accepts it; other clients reject
/// it:
///
/// ```swift
/// let identity = try TestIdentity()
/// let server = try await LoopbackServer.start(.http2(identity))
/// var connections = DirectTransport.Configuration()
/// connections.additionalTrustRoots = [identity.certificatePEM]
/// ```
public struct TestIdentity: Sendable {
    package let certificate: NIOSSLCertificate
    package let privateKey: NIOSSLPrivateKey
    /// The certificate in PEM format, for example for a client's trust root.
    public let certificatePEM: String
    /// The key of the certificate in PEM format.
    public let privateKeyPEM: String

    /// The pin of the certificate's key, for `pinnedKeys(_:of:)`.
    public let publicKeyPin: String
    private let names: [String]

    /// Creates an identity.
    ///
    /// - Parameters:
    ///   - names: The DNS names and IP addresses of the certificate; those of this machine by default.
    ///     A client refuses a server of another name.
    ///   - validity: The validity period, relative to now; from a day ago to in thirty days by default.
    ///     A client refuses a certificate that has expired or is not valid yet.
    /// - Throws: An error if a name is not ASCII or the certificate cannot be encoded.
    public init(
        names: [String] = ["localhost", "127.0.0.1", "::1"],
        validity: Range<Duration> = .seconds(-86_400)..<Duration.seconds(30 * 86_400)
    ) throws {
        self.names = names
        let key = P256.Signing.PrivateKey()
        let now = Int64(Date().timeIntervalSince1970)
        let bytes = try SelfSignedCertificate(
            key: key,
            names: names,
            notBefore: CalendarTime(secondsSince1970: now + validity.lowerBound.components.seconds),
            notAfter: CalendarTime(secondsSince1970: now + validity.upperBound.components.seconds)
        )
        .derBytes()
        certificate = try NIOSSLCertificate(bytes: bytes, format: .der)
        privateKey = try NIOSSLPrivateKey(bytes: Array(key.derRepresentation), format: .der)
        certificatePEM = PEMDocument(type: "CERTIFICATE", derBytes: bytes).pemString
        privateKeyPEM = key.pemRepresentation
        let digest = SHA256.hash(data: key.publicKey.derRepresentation)
        publicKeyPin = "sha256/" + Data(digest).base64EncodedString()
    }
}

extension TestIdentity: CustomStringConvertible, CustomReflectable {
    /// The names, for a test's failure message.
    public var description: String {
        "TestIdentity(\(names.joined(separator: ", ")))"
    }

    /// The names, for `dump` and other uses of reflection, without the private key.
    public var customMirror: Mirror { Mirror(self, children: ["names": names]) }
}

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

/// A second in the Gregorian calendar, UTC, as encoded in certificates.
struct CalendarTime: Hashable {
    var year: Int
    var month: Int
    var day: Int
    var hours: Int
    var minutes: Int
    var seconds: Int

    init(secondsSince1970: Int64) {
        let secondOfDay = ((secondsSince1970 % 86_400) + 86_400) % 86_400
        (year, month, day) = CivilCalendar.date(ofDay: (secondsSince1970 - secondOfDay) / 86_400)
        hours = Int(secondOfDay / 3_600)
        minutes = Int(secondOfDay / 60 % 60)
        seconds = Int(secondOfDay % 60)
    }

    /// Writes the time as RFC 5280 requires: as `UTCTime` until 2049, and as `GeneralizedTime` from 2050 on.
    func serialize(into serializer: inout DER.Serializer) throws {
        if (1950..<2050).contains(year) {
            let time = try UTCTime(
                year: year,
                month: month,
                day: day,
                hours: hours,
                minutes: minutes,
                seconds: seconds
            )
            try serializer.serialize(time)
        } else {
            let time = try GeneralizedTime(
                year: year,
                month: month,
                day: day,
                hours: hours,
                minutes: minutes,
                seconds: seconds,
                rawFractionalSeconds: []
            )
            try serializer.serialize(time)
        }
    }
}
