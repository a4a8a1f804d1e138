// SPDX-License-Identifier: MIT

import Crypto
package import NIOSSL
import RestEssentials

/// The error of a server whose key is none of those that were pinned for it.
///
/// A pin is the SHA-256 digest of a SubjectPublicKeyInfo, written as `sha256/` and its Base64 (RFC 7469).
package struct PinMismatch: Error, Hashable, CustomStringConvertible {
    package let expected: Set<String>
    /// The pin of the key that came; `nil` if no certificate could be seen.
    package let actual: String?

    package var description: String {
        let pins = expected.sorted().joined(separator: ", ")
        return actual.map { "its key is \($0), and only \(pins) \(expected.count == 1 ? "is" : "are") pinned" }
            ?? "its certificate cannot be seen over this connection, and only \(pins) may be its key"
    }

    /// Returns the error of a server that showed a certificate; `nil` if its key is pinned.
    static func find(showing certificate: NIOSSLCertificate?, pins: Set<String>) -> PinMismatch? {
        let actual = certificate.flatMap(pin)
        return actual.map(pins.contains) == true ? nil : PinMismatch(expected: pins, actual: actual)
    }

    /// Returns the pin of the key of a certificate; `nil` if it cannot be read.
    package static func pin(of certificate: NIOSSLCertificate) -> String? {
        guard let key = try? certificate.extractPublicKey().toSPKIBytes() else {
            return nil
        }
        return "sha256/" + Data(SHA256.hash(data: key)).base64EncodedString()
    }
}
