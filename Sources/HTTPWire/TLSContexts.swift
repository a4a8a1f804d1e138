// SPDX-License-Identifier: MIT

import NIOSSL
import Synchronization

/// The contexts of TLS of a client.
///
/// They are made on first use, as that reads the system's certificates, and again when the client's identity changes.
final class TLSContexts: Sendable {
    private struct Kind: Hashable {
        let isUnchecked: Bool
        let isAnonymous: Bool
        /// True if NIOSSL checks no names in the certificate, because it compares addresses with that of a proxy.
        var leavesNames = false
        let protocols: [String]
    }

    private struct Known {
        let context: NIOSSLContext
        let generation: Int?
    }

    private let configuration: WireConfiguration
    private let known = Mutex<[Kind: Known]>([:])

    init(_ configuration: WireConfiguration) {
        self.configuration = configuration
    }

    /// Returns the context of a new connection to a server.
    ///
    /// - Parameters:
    ///   - origin: The server.
    ///   - hasHTTP2: True if the handshake offers HTTP/2; `nil` if the configuration decides.
    /// - Returns: The context.
    /// - Throws: An error of NIOSSL if the trust or the identity cannot be used.
    func context(for origin: WireOrigin, hasHTTP2: Bool? = nil) throws -> NIOSSLContext {
        let protocols = origin.protocols(hasHTTP2: hasHTTP2 ?? origin.maySpeakHTTP2(configuration))
        return try context(
            Kind(
                isUnchecked: origin.isUnchecked,
                isAnonymous: origin.isAnonymous,
                leavesNames: origin.way != .direct,
                protocols: protocols
            )
        )
    }

    /// Returns the context of a new connection to a proxy, to which the client does not identify itself.
    func context(for proxy: WireProxy) throws -> NIOSSLContext {
        try context(Kind(isUnchecked: proxy.isUnchecked, isAnonymous: true, protocols: ["http/1.1"]))
    }

    private func context(_ kind: Kind) throws -> NIOSSLContext {
        let identity = kind.isAnonymous ? nil : configuration.currentIdentity?()
        if let known = known.withLock({ $0[kind] }), known.generation == identity?.generation {
            return known.context
        }
        var tls = kind.isUnchecked ? configuration.uncheckedTLS ?? configuration.tls : configuration.tls
        if [.tlsv1, .tlsv11].contains(tls.minimumTLSVersion) {
            tls.minimumTLSVersion = .tlsv12
        }
        if kind.leavesNames, tls.certificateVerification == .fullVerification {
            tls.certificateVerification = .noHostnameVerification
        }
        tls.applicationProtocols = kind.protocols
        identity?.apply(to: &tls)
        if kind.isAnonymous {
            tls.certificateChain = []
            tls.privateKey = nil
        }
        let context = try NIOSSLContext(configuration: tls)
        return known.withLock { known in
            if let latest = known[kind], latest.generation ?? 0 >= identity?.generation ?? 0 {
                return latest.context
            }
            known[kind] = Known(context: context, generation: identity?.generation)
            return context
        }
    }
}
