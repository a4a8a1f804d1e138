// SPDX-License-Identifier: MIT

package import NIOCore
import Synchronization

/// A client for HTTP/1.1: the connections to all origins.
package final class WireClient: Sendable {
    /// The number of origins that are remembered before those that are not in use are forgotten.
    private static let poolLimit = 512

    private struct State {
        var pools: [WireOrigin: ConnectionPool] = [:]
        var isClosed = false
    }

    private let configuration: WireConfiguration
    private let eventLoops: any EventLoopGroup
    private let contexts: TLSContexts
    private let state = Mutex(State())

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - configuration: Time limits, connections and trust.
    ///   - eventLoops: The event loops of the connections.
    package init(_ configuration: WireConfiguration, on eventLoops: any EventLoopGroup) {
        self.configuration = configuration
        self.eventLoops = eventLoops
        contexts = TLSContexts(configuration)
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
        if origin.isSecure {
            // What is wrong with the configuration is known before anything waits for a connection.
            _ = try contexts.context(isUnchecked: origin.isUnchecked)
        }
        let pool = ConnectionPool(to: origin, configuration, tls: origin.isSecure ? contexts : nil, on: eventLoops)
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
}
