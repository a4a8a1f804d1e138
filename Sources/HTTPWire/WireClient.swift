// SPDX-License-Identifier: MIT

package import NIOCore
import Synchronization

/// A client for HTTP/1.1 and HTTP/2: the connections to all origins.
package final class WireClient: Sendable {
    /// The number of origins that are remembered before those that are not in use are forgotten.
    private static let poolLimit = 512

    /// A pool that is remembered only as long as somebody uses it.
    private struct Forgotten {
        weak var pool: ConnectionPool?
    }

    private struct State {
        var pools: [WireOrigin: ConnectionPool] = [:]
        /// The pools that were empty when there were too many; callers that have kept one may go on to use it.
        var forgotten: [WireOrigin: Forgotten] = [:]
        var isClosed = false

        func pool(to origin: WireOrigin) -> ConnectionPool? {
            pools[origin] ?? forgotten[origin]?.pool
        }

        mutating func add(_ pool: ConnectionPool) {
            if pools.count >= WireClient.poolLimit {
                forgotten = forgotten.filter { $0.value.pool != nil }
                for (origin, unused) in pools where unused.isEmpty {
                    forgotten[origin] = Forgotten(pool: unused)
                }
                pools = pools.filter { forgotten[$0.key] == nil }
            }
            forgotten[pool.origin] = nil
            pools[pool.origin] = pool
        }
    }

    private let configuration: WireConfiguration
    private let eventLoops: @Sendable () -> any EventLoopGroup
    private let contexts: TLSContexts
    private let state = Mutex(State())

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - configuration: Time limits, connections and trust.
    ///   - eventLoops: The event loops of the connections; evaluated when an origin is first asked for.
    package init(
        _ configuration: WireConfiguration,
        on eventLoops: @autoclosure @escaping @Sendable () -> any EventLoopGroup
    ) {
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
        if let pool = state.withLock({ $0.pool(to: origin) }) {
            return pool
        }
        if origin.isSecure {
            // What is wrong with the configuration is known before anything waits for a connection.
            _ = try contexts.context(for: origin)
        }
        if let proxy = origin.way.proxy, proxy.kind == .https {
            _ = try contexts.context(for: proxy)
        }
        let pool = ConnectionPool(to: origin, configuration, tls: contexts, on: eventLoops())
        let (first, isClosed) = state.withLock { state in
            if let earlier = state.pool(to: origin) {
                return (earlier, false)
            }
            state.add(pool)
            return (pool, state.isClosed)
        }
        if isClosed {
            first.close()
        }
        return first
    }

    /// Closes the connections that are not in use, and each other one when its exchange has ended.
    package func close() {
        let pools = state.withLock { state in
            state.isClosed = true
            return Array(state.pools.values) + state.forgotten.values.compactMap(\.pool)
        }
        for pool in pools {
            pool.close()
        }
    }
}
