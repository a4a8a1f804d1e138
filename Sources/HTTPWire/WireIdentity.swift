// SPDX-License-Identifier: MIT

package import NIOSSL

/// The certificate with which a client identifies itself, and its key.
package struct WireIdentity: Sendable {
    /// A number that changes with the identity.
    package let generation: Int
    package let certificateChain: [NIOSSLCertificateSource]
    package let privateKey: NIOSSLPrivateKeySource

    package init(
        generation: Int,
        certificateChain: [NIOSSLCertificateSource],
        privateKey: NIOSSLPrivateKeySource
    ) {
        self.generation = generation
        self.certificateChain = certificateChain
        self.privateKey = privateKey
    }

    /// Sets the identity in a configuration.
    package func apply(to tls: inout TLSConfiguration) {
        tls.certificateChain = certificateChain
        tls.privateKey = privateKey
    }
}
