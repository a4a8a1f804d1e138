// SPDX-License-Identifier: MIT
import Crypto
public import NIOSSL
import SwiftASN1

/// A server's certificate and key, made when the test runs.
///
/// The certificate is signed by its own P-256 key, so that a client that takes it as its trust root accepts it, and one
/// that does not, refuses it:
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
    /// The key that the certificate is about, and that signed it.
    public let privateKey: NIOSSLPrivateKey
    /// The certificate in PEM form, for example as a client's trust root.
    public let certificatePEM: String
    /// The key in PEM form.
    public let privateKeyPEM: String

    /// The DNS names and IP addresses that the certificate is good for.
    public let names: [String]

    /// The names in a certificate that fits a server on this machine.
    public static let loopbackNames = ["localhost", "127.0.0.1", "::1"]

    /// Makes an identity.
    ///
    /// - Parameters:
    ///   - names: The DNS names and IP addresses that the certificate is good for. The default is
    ///     ``loopbackNames``.
    ///   - validity: From when until when it is good, seen from now. The default is from a day ago for thirty days.
    /// - Throws: An error when a name is not ASCII or the certificate cannot be encoded.
    public init(
        names: [String] = TestIdentity.loopbackNames,
        validity: Range<Duration> = .seconds(-86_400)..<Duration.seconds(30 * 86_400)
    ) throws {
        self.names = names
        let key = P256.Signing.PrivateKey()
        let now = WallClock.secondsSince1970
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

    /// Makes an identity whose certificate names another host, so that clients must refuse it.
    ///
    /// - Returns: The identity, good for `wrong.example` only.
    /// - Throws: An error when the certificate cannot be encoded.
    public static func wrongHost() throws -> TestIdentity {
        try TestIdentity(names: ["wrong.example"])
    }

    /// Makes an identity whose certificate ran out an hour ago, so that clients must refuse it.
    ///
    /// - Returns: The identity, with the names of this machine.
    /// - Throws: An error when the certificate cannot be encoded.
    public static func expired() throws -> TestIdentity {
        try TestIdentity(validity: .seconds(-86_400)..<Duration.seconds(-3_600))
    }

    /// Makes an identity whose certificate is good from tomorrow only, so that clients must refuse it.
    ///
    /// - Returns: The identity, with the names of this machine.
    /// - Throws: An error when the certificate cannot be encoded.
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
