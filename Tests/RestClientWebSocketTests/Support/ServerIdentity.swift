// SPDX-License-Identifier: MIT

import NIOSSL
import TestSupport

/// The certificate and the key of a server, and the trust root of its clients.
struct ServerIdentity: Sendable {
    let certificate: NIOSSLCertificate
    let privateKey: NIOSSLPrivateKey
    let certificatePEM: String
}

extension ServerIdentity {
    init(_ identity: TestIdentity) {
        self.init(
            certificate: identity.certificate,
            privateKey: identity.privateKey,
            certificatePEM: identity.certificatePEM
        )
    }
}
