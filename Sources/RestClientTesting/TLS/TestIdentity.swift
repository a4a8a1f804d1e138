// SPDX-License-Identifier: MIT

import Crypto
package import NIOSSL
import RestClient
import RestEssentials

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
        let now = Date()
        let bytes = try SelfSignedCertificate(
            key: key,
            names: names,
            notBefore: now.addingTimeInterval(validity.lowerBound / .seconds(1)),
            notAfter: now.addingTimeInterval(validity.upperBound / .seconds(1))
        )
        .derBytes()
        certificate = try NIOSSLCertificate(bytes: bytes, format: .der)
        privateKey = try NIOSSLPrivateKey(bytes: Array(key.derRepresentation), format: .der)
        let base64 = Data(bytes).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        certificatePEM = "-----BEGIN CERTIFICATE-----\n\(base64)\n-----END CERTIFICATE-----"
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
private struct SelfSignedCertificate {
    let key: P256.Signing.PrivateKey
    let names: [String]
    let notBefore: Date
    let notAfter: Date

    func derBytes() throws -> [UInt8] {
        // ecdsa-with-SHA256
        let algorithm = DER.sequence(DER.identifier(0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x02))
        // The common name, which is the same for issuer and subject.
        let commonName = DER.value(0x0C, Array((names.first ?? "test").utf8))
        let name = DER.sequence(DER.value(0x31, DER.sequence(DER.identifier(0x55, 0x04, 0x03), commonName)))
        let body = DER.sequence(
            // Version 3, counted from zero.
            DER.value(0xA0, DER.value(0x02, [2])),
            DER.value(0x02, [UInt8.random(in: 1...0x7F)], (0..<7).map { _ in UInt8.random(in: 0...0xFF) }),
            algorithm,
            name,
            DER.sequence(DER.time(notBefore), DER.time(notAfter)),
            name,
            Array(key.publicKey.derRepresentation),
            DER.value(0xA3, try extensions())
        )
        let signature = try key.signature(for: body).derRepresentation
        return DER.sequence(body, algorithm, DER.value(0x03, [0], Array(signature)))
    }

    private func extensions() throws -> [UInt8] {
        func item(_ identifier: UInt8, isCritical: Bool, _ value: [UInt8]) -> [UInt8] {
            let critical = isCritical ? DER.isTrue : []
            return DER.sequence(DER.identifier(0x55, 0x1D, identifier), critical, DER.value(0x04, value))
        }
        let usages = ([1, 2] as [UInt8]).flatMap { DER.identifier(0x2B, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, $0) }
        let keyHash = Array(SHA256.hash(data: key.publicKey.x963Representation).prefix(20))
        return DER.sequence(
            // Basic constraints: an authority, since it signs itself.
            item(19, isCritical: true, DER.sequence(DER.isTrue)),
            // Key usage: digitalSignature (bit 0) and keyCertSign (bit 5), with two unused bits.
            item(15, isCritical: true, DER.value(0x03, [2, 0b1000_0100])),
            // Extended key usage: server and client.
            item(37, isCritical: false, DER.sequence(usages)),
            // Subject key identifier.
            item(14, isCritical: false, DER.value(0x04, keyHash)),
            // Subject alternative names.
            item(17, isCritical: false, DER.sequence(try names.flatMap(Self.alternativeName)))
        )
    }

    /// Returns a general name: an IP address or a DNS name.
    private static func alternativeName(_ name: String) throws(RestClientError) -> [UInt8] {
        if let address = AddressText.bytes(name) {
            return DER.value(0x87, address)
        }
        guard name.utf8.allSatisfy({ $0 < 0x80 }) else {
            throw RestClientError(.tlsFailed, "'\(name)' is not a name for a certificate, because it is not ASCII")
        }
        return DER.value(0x82, Array(name.utf8))
    }
}

/// Values by the Distinguished Encoding Rules of ASN.1 (X.690): a tag, the length and the content.
private enum DER {
    static let isTrue: [UInt8] = [0x01, 1, 0xFF]

    static func value(_ tag: UInt8, _ parts: [UInt8]...) -> [UInt8] {
        let content = parts.flatMap(\.self)
        var length: [UInt8] = []
        var rest = content.count
        repeat {
            length.insert(UInt8(truncatingIfNeeded: rest), at: 0)
            rest >>= 8
        } while rest > 0
        if content.count >= 0x80 {
            length.insert(0x80 | UInt8(length.count), at: 0)
        }
        return [tag] + length + content
    }

    static func sequence(_ parts: [UInt8]...) -> [UInt8] { value(0x30, parts.flatMap(\.self)) }

    static func identifier(_ bytes: UInt8...) -> [UInt8] { value(0x06, bytes) }

    /// Returns a time as RFC 5280 requires: with a year of two digits until 2049, and of four from 2050 on.
    static func time(_ date: Date) -> [UInt8] {
        let style = Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted)
        let text = style.format(date).filter { $0 != "T" }
        let hasShortYear = ("1950"..<"2050").contains(String(text.prefix(4)))
        return hasShortYear ? value(0x17, Array(text.utf8.dropFirst(2))) : value(0x18, Array(text.utf8))
    }
}
