// SPDX-License-Identifier: MIT

package import NIOCore
import NIOSSL
import Synchronization

/// A client for HTTP/1.1: the connections to all origins.
package final class WireClient: Sendable {
    /// How many origins are remembered before those that are not in use are forgotten.
    private static let poolLimit = 512

    private struct State {
        var pools: [WireOrigin: ConnectionPool] = [:]
        var contexts: [Bool: NIOSSLContext] = [:]
        var isClosed = false
    }

    private let configuration: WireConfiguration
    private let eventLoops: any EventLoopGroup
    private let state = Mutex(State())

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - configuration: Time limits, connections and trust.
    ///   - eventLoops: The event loops of the connections.
    package init(_ configuration: WireConfiguration, on eventLoops: any EventLoopGroup) {
        self.configuration = configuration
        self.eventLoops = eventLoops
    }

    deinit {
        close()
    }

    /// Returns the connections to an origin.
    ///
    /// - Throws: An error of NIOSSL if the trust or the identity cannot be used.
    package func pool(to origin: WireOrigin) throws -> ConnectionPool {
        if let pool = state.withLock({ $0.pools[origin] }) {
            return pool
        }
        let tls = origin.isSecure ? try context(isUnchecked: origin.isUnchecked) : nil
        let pool = ConnectionPool(to: origin, configuration, tls: tls, on: eventLoops)
        return state.withLock { state in
            if let earlier = state.pools[origin] {
                return earlier
            }
            if state.pools.count >= Self.poolLimit {
                state.pools = state.pools.filter { !$0.value.isEmpty }
            }
            state.pools[origin] = pool
            return pool
        }
    }

    /// Closes the connections that are not in use, and each other one when its exchange has ended.
    package func close() {
        let pools = state.withLock { state in
            state.isClosed = true
            return Array(state.pools.values)
        }
        for pool in pools {
            pool.close()
        }
    }

    /// Returns the context of TLS, which is made on first use as it reads the system's certificates.
    private func context(isUnchecked: Bool) throws -> NIOSSLContext {
        if let context = state.withLock({ $0.contexts[isUnchecked] }) {
            return context
        }
        var tls = isUnchecked ? configuration.uncheckedTLS ?? configuration.tls : configuration.tls
        if [.tlsv1, .tlsv11].contains(tls.minimumTLSVersion) {
            tls.minimumTLSVersion = .tlsv12
        }
        tls.applicationProtocols = ["http/1.1"]
        let context = try NIOSSLContext(configuration: tls)
        return state.withLock { state in
            let first = state.contexts[isUnchecked] ?? context
            state.contexts[isUnchecked] = first
            return first
        }
    }
}
