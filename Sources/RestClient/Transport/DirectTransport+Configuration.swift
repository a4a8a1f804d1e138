// SPDX-License-Identifier: MIT

import NIOSSL
import RestEssentials

extension DirectTransport {
    /// Time limits, connections and trust of a transport.
    public struct Configuration: Sendable {
        /// The maximum time for establishing a connection, including TLS; 10 seconds by default.
        public var connectTimeout: Duration = .seconds(10)

        /// The time for which an unused connection is kept; 60 seconds by default.
        public var idleTimeout: Duration = .seconds(60)

        /// The age at which a connection carries no further request; `nil`, the default, for any age.
        ///
        /// A new connection looks up the host again, so that a limit lets a program follow changes of its addresses.
        /// It does not end a request.
        public var maximumConnectionAge: Duration?

        /// The maximum number of open HTTP/1.1 connections to one host; 256 by default.
        ///
        /// Concurrency is limited by the worker pool; a smaller number here makes requests that hold a slot wait.
        public var connectionsPerHost: Int = 256

        /// True if HTTP/2 is used where the server offers it during the TLS handshake; `true` by default.
        public var usesHTTP2 = true

        /// True if a server that does not offer HTTP/2 is rejected before anything is sent to it; `false` by default.
        ///
        /// HTTP/2 is negotiated during the TLS handshake, so `http` addresses are rejected too.
        public var requiresHTTP2 = false

        /// True if requests without an `Accept-Encoding` of their own accept compressed responses; `true` by default.
        ///
        /// They accept gzip and deflate, br with the trait `Brotli`, and zstd with the trait `Zstd`.
        /// Compressed responses are decompressed either way.
        public var asksForCompression = true

        /// The maximum number of interim responses (1xx) before a final one; 100 by default.
        ///
        /// One more ends the exchange with ``RestClientError/Code-swift.struct/malformedResponse``: a server that never
        /// stops must not keep a call busy for as long as its time lasts.
        public var interimResponseLimit = 100

        /// Certificate authorities to trust in addition to the system's, in PEM format; none by default.
        ///
        /// The system's are those of the file that the variable `SSL_CERT_FILE` names, if there is one, as for curl.
        public var additionalTrustRoots: [String] = []

        /// False if no authority of the system is trusted, and only ``additionalTrustRoots`` are; `true` by default.
        public var trustsSystemRoots = true

        /// The client's certificate chain for servers that request one, in PEM format.
        public var clientCertificateChain: String?

        /// The private key of the client's certificate, in PEM format.
        public var clientPrivateKey: String?

        /// The files of the client's certificate and its key, which are read again when they change; none by default.
        ///
        /// They replace ``clientCertificateChain`` and ``clientPrivateKey``.
        public var clientCertificateFiles: ClientCertificateFiles?

        /// The origins to which the client's certificate is presented, as in `https://api.example.com`; `nil`, the
        /// default, for that for which a call is made.
        ///
        /// A certificate names the client, and a server that it is presented to may let the client act. So a redirect
        /// to another origin, or a next page there, does not present it unless the list names that origin.
        public var clientCertificateOrigins: [String]?

        /// True if a server on this machine (`localhost`, `127.0.0.0/8`, `[::1]`) may use any certificate; `false` by
        /// default.
        ///
        /// Use it only for servers under development. For other hosts, add their authority to ``additionalTrustRoots``.
        public var trustsAnyLoopbackCertificate = false

        /// Creates the default configuration.
        public init() {}

        /// The settings of TLS without a configuration: TLS 1.2 at least (RFC 8996).
        static var defaultTLS: TLSConfiguration { tls(rootsIn: ProcessInfo.processInfo.environment["SSL_CERT_FILE"]) }

        /// Returns the settings with the authorities in a file; those of the system for `nil` and an empty name.
        static func tls(rootsIn file: String?) -> TLSConfiguration {
            var configuration = TLSConfiguration.makeClientConfiguration()
            configuration.minimumTLSVersion = .tlsv12
            if let file, !file.isEmpty {
                configuration.trustRoots = .file(file)
            }
            return configuration
        }

        func tlsConfiguration() throws(RestClientError) -> TLSConfiguration {
            var configuration = Self.defaultTLS
            if !trustsSystemRoots {
                configuration.trustRoots = .certificates([])
            }
            do {
                configuration.additionalTrustRoots = try additionalTrustRoots.map {
                    .certificates(try NIOSSLCertificate.fromPEMBytes(Array($0.utf8)))
                }
                if let chain = clientCertificateChain {
                    configuration.certificateChain = try NIOSSLCertificate.fromPEMBytes(Array(chain.utf8))
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

        var hasClientCertificate: Bool { clientCertificateChain != nil || clientCertificateFiles != nil }

        func clientIdentity() throws(RestClientError) -> ClientIdentity? {
            try clientCertificateFiles.map { files throws(RestClientError) in try ClientIdentity(files) }
        }
    }
}

extension DirectTransport.Configuration: CustomReflectable {
    /// The properties except the private key, for `dump` and other uses of reflection.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "connectTimeout": connectTimeout, "idleTimeout": idleTimeout,
                "maximumConnectionAge": maximumConnectionAge as Any, "connectionsPerHost": connectionsPerHost,
                "usesHTTP2": usesHTTP2, "requiresHTTP2": requiresHTTP2, "asksForCompression": asksForCompression,
                "interimResponseLimit": interimResponseLimit,
                "additionalTrustRoots": additionalTrustRoots, "trustsSystemRoots": trustsSystemRoots,
                "clientCertificateChain": clientCertificateChain as Any,
                "clientPrivateKey": clientPrivateKey.map { _ in Redaction.mask } as Any,
                "clientCertificateFiles": clientCertificateFiles as Any,
                "clientCertificateOrigins": clientCertificateOrigins as Any,
                "trustsAnyLoopbackCertificate": trustsAnyLoopbackCertificate,
            ]
        )
    }
}
