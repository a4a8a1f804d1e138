// SPDX-License-Identifier: MIT

import Crypto
public import NIOSSL
import RestEssentials
import SwiftASN1

/// A server's certificate and key, generated when the test runs.
///
/// The certificate is signed by its own P-256 key. A client that has it as its trust root accepts it; others refuse it:
///
/// ```swift
/// let identity = try TestIdentity()
/// let server = try await LoopbackServer.start(.http2(identity))
/// var tls = TLSConfiguration.makeClientConfiguration()
/// tls.trustRoots = .certificates([identity.certificate])
/// ```
public struct TestIdentity: Sendable {
    /// The certificate.
    public let certificate: NIOSSLCertificate
    /// The key of the certificate, which also signed it.
    public let privateKey: NIOSSLPrivateKey
    /// The certificate in PEM format, for example for a client's trust root.
    public let certificatePEM: String
    /// The key in PEM format.
    public let privateKeyPEM: String

    /// The DNS names and IP addresses of the certificate.
    public let names: [String]

    /// The names of a server on this machine.
    public static let loopbackNames = ["localhost", "127.0.0.1", "::1"]

    /// Creates an identity.
    ///
    /// - Parameters:
    ///   - names: The DNS names and IP addresses of the certificate; ``loopbackNames`` by default.
    ///   - validity: The validity period, relative to now; from a day ago to in thirty days by default.
    /// - Throws: An error if a name is not ASCII or the certificate cannot be encoded.
    public init(
        names: [String] = TestIdentity.loopbackNames,
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
    }

    /// Creates an identity for another host, which clients must refuse.
    ///
    /// - Returns: The identity, for `wrong.example` only.
    /// - Throws: An error if the certificate cannot be encoded.
    public static func wrongHost() throws -> TestIdentity {
        try TestIdentity(names: ["wrong.example"])
    }

    /// Creates an identity that expired an hour ago, which clients must refuse.
    ///
    /// - Returns: The identity, with the names of this machine.
    /// - Throws: An error if the certificate cannot be encoded.
    public static func expired() throws -> TestIdentity {
        try TestIdentity(validity: .seconds(-86_400)..<Duration.seconds(-3_600))
    }

    /// Creates an identity that is valid from tomorrow, which clients must refuse.
    ///
    /// - Returns: The identity, with the names of this machine.
    /// - Throws: An error if the certificate cannot be encoded.
    public static func notYetValid() throws -> TestIdentity {
        try TestIdentity(validity: .seconds(86_400)..<Duration.seconds(2 * 86_400))
    }
}

extension TestIdentity: CustomStringConvertible {
    /// The names, for a test's failure message.
    public var description: String {
        "TestIdentity(\(names.joined(separator: ", ")))"
    }
}
