// SPDX-License-Identifier: MIT

import NIOSSL
import Synchronization

/// The contexts of TLS of a client.
///
/// They are made on first use, as that reads the system's certificates, and again when the client's identity changes.
final class TLSContexts: Sendable {
    private struct Known {
        let context: NIOSSLContext
        let generation: Int?
    }

    private let configuration: WireConfiguration
    private let known = Mutex<[Bool: Known]>([:])

    init(_ configuration: WireConfiguration) {
        self.configuration = configuration
    }

    /// Returns the context of a new connection.
    ///
    /// - Throws: An error of NIOSSL if the trust or the identity cannot be used.
    func context(isUnchecked: Bool) throws -> NIOSSLContext {
        let identity = configuration.currentIdentity?()
        if let known = known.withLock({ $0[isUnchecked] }), known.generation == identity?.generation {
            return known.context
        }
        var tls = isUnchecked ? configuration.uncheckedTLS ?? configuration.tls : configuration.tls
        if [.tlsv1, .tlsv11].contains(tls.minimumTLSVersion) {
            tls.minimumTLSVersion = .tlsv12
        }
        tls.applicationProtocols = ["http/1.1"]
        identity?.apply(to: &tls)
        let context = try NIOSSLContext(configuration: tls)
        return known.withLock { known in
            if let latest = known[isUnchecked], latest.generation ?? 0 >= identity?.generation ?? 0 {
                return latest.context
            }
            known[isUnchecked] = Known(context: context, generation: identity?.generation)
            return context
        }
    }
}
