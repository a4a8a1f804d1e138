// SPDX-License-Identifier: MIT

package import NIOSSL

extension AsyncHTTPClientTransport {
    /// Time limits, connections and trust of a transport.
    public struct Configuration: Sendable {
        /// How long making a connection may take, TLS included; 10 seconds by default.
        public var connectTimeout: Duration = .seconds(10)

        /// How long an unused connection is kept; 60 seconds by default.
        public var idleTimeout: Duration = .seconds(60)

        /// How many HTTP/1.1 connections to one host are open at once; 256 by default.
        ///
        /// The worker pool is what bounds concurrency; a smaller number here makes requests that hold a slot wait.
        public var connectionsPerHost: Int = 256

        /// True if HTTP/2 is used where the server offers it during the TLS handshake; `true` by default.
        public var usesHTTP2 = true

        /// True if a server that does not offer HTTP/2 is refused before anything is sent to it; `false` by default.
        ///
        /// HTTP/2 is agreed on during the TLS handshake, so that `http` addresses are refused too.
        public var requiresHTTP2 = false

        /// True if requests that do not name an `Accept-Encoding` themselves ask for gzip and deflate; `true` by
        /// default.
        ///
        /// Compressed responses are decompressed either way.
        public var asksForCompression = true

        /// Further certificate authorities to trust besides the system's own, in PEM form; none by default.
        public var additionalTrustRoots: [String] = []

        /// The client's certificate chain for servers that ask for one, in PEM form.
        public var clientCertificateChain: String?

        /// The private key of the client's certificate, in PEM form.
        public var clientPrivateKey: String?

        /// True if a server on this machine (`localhost`, `127.0.0.0/8`, `[::1]`) may use any certificate; `false` by
        /// default.
        ///
        /// For servers under development only. There is no such switch for other hosts: name their authority in
        /// ``additionalTrustRoots``.
        public var trustsAnyLoopbackCertificate = false

        /// Creates the default configuration.
        public init() {}

        /// Returns the settings of TLS.
        ///
        /// - Throws: ``RestClientError`` if a certificate or a key cannot be read.
        package func tlsConfiguration() throws(RestClientError) -> TLSConfiguration {
            var configuration = TLSConfiguration.makeClientConfiguration()
            do {
                configuration.additionalTrustRoots = try additionalTrustRoots.map {
                    .certificates(try NIOSSLCertificate.fromPEMBytes(Array($0.utf8)))
                }
                if let clientCertificateChain {
                    configuration.certificateChain =
                        try NIOSSLCertificate.fromPEMBytes(
                            Array(clientCertificateChain.utf8)
                        )
                        .map { .certificate($0) }
                }
                if let clientPrivateKey {
                    configuration.privateKey = .privateKey(
                        try NIOSSLPrivateKey(bytes: Array(clientPrivateKey.utf8), format: .pem)
                    )
                }
            } catch {
                throw RestClientError(
                    .tlsFailed,
                    "a certificate or key of the transport's configuration is not in PEM form",
                    underlying: error
                )
            }
            return configuration
        }
    }
}

extension AsyncHTTPClientTransport.Configuration: CustomReflectable {
    /// The properties but for the private key, for `dump` and other uses of reflection.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "connectTimeout": connectTimeout, "idleTimeout": idleTimeout, "connectionsPerHost": connectionsPerHost,
                "usesHTTP2": usesHTTP2, "requiresHTTP2": requiresHTTP2, "asksForCompression": asksForCompression,
                "additionalTrustRoots": additionalTrustRoots, "clientCertificateChain": clientCertificateChain as Any,
                "clientPrivateKey": clientPrivateKey.map { _ in Redaction.mask } as Any,
                "trustsAnyLoopbackCertificate": trustsAnyLoopbackCertificate,
            ]
        )
    }
}
