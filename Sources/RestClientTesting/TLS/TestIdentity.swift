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
