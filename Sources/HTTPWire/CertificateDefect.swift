// SPDX-License-Identifier: MIT

import NIOSSL
import SwiftASN1

/// A property of a server's certificate that the checks of BoringSSL let pass, and this library does not.
package enum CertificateDefect: Error, Hashable, CustomStringConvertible {
    /// The certificate names its host only in its subject (RFC 9525, section 2, forbids to use that).
    case noAlternativeName
    /// The certificate is signed with a broken hash.
    case weakSignature(hash: String)
    /// The RSA key is too short.
    case weakKey(bits: Int)
    /// None of the certificate's names is that of its host (RFC 9525, section 6).
    case otherNames
    /// The certificate cannot be read.
    case unreadable

    /// The least number of bits of an RSA key (NIST SP 800-131A).
    static let leastBits = 2_048

    package var description: String {
        switch self {
        case .noAlternativeName:
            "its certificate has no subject alternative name, and the common name does not count (RFC 9525)"
        case .weakSignature(let hash): "its certificate is signed with \(hash), which is broken"
        case .weakKey(let bits): "the RSA key of its certificate has \(bits) bits, and \(Self.leastBits) are required"
        case .otherNames: "its certificate is for other hosts"
        case .unreadable: "its certificate cannot be read"
        }
    }

    /// Returns the defect of the certificate that a server showed; `nil` if it showed none.
    ///
    /// - Parameters:
    ///   - certificate: The certificate.
    ///   - host: The host that it has to be for; `nil` if that is checked elsewhere.
    /// - Returns: The defect; `nil` if there is none.
    static func find(showing certificate: NIOSSLCertificate?, for host: String? = nil) -> CertificateDefect? {
        guard let certificate else {
            return nil
        }
        guard let bytes = try? certificate.toDERBytes() else {
            return .unreadable
        }
        return find(in: bytes, for: host)
    }

    /// Returns the defect of a certificate: pure.
    ///
    /// - Parameters:
    ///   - bytes: The certificate in DER.
    ///   - host: The host that it has to be for; `nil` for any.
    /// - Returns: The defect; `nil` if there is none.
    package static func find(in bytes: [UInt8], for host: String? = nil) -> CertificateDefect? {
        guard let certificate = try? CertificateOutline(bytes) else {
            return .unreadable
        }
        if let hash = certificate.brokenHash {
            return .weakSignature(hash: hash)
        }
        if let bits = certificate.bitsOfRSA, bits < leastBits {
            return .weakKey(bits: bits)
        }
        guard certificate.hasAlternativeName else {
            return .noAlternativeName
        }
        return host.map { certificate.isFor($0) } ?? true ? nil : .otherNames
    }
}
