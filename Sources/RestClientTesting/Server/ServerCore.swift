// SPDX-License-Identifier: MIT
import NIOCore
import Synchronization

/// What the connections of a server share: its log, its routes and the way to its workers.
final class ServerCore: Sendable {
    let log = Monitor(ServerLog())
    private let router: Mutex<Router>
    private let connections = Mutex<[Int: ConnectionHandle]>([:])
    private let exchanges: AsyncStream<ExchangeChannel>.Continuation

    init(router: Router, exchanges: AsyncStream<ExchangeChannel>.Continuation) {
        self.router = Mutex(router)
        self.exchanges = exchanges
    }

    // MARK: - Routes
    func add(_ route: Router.Route, method: LoopbackMethod, pattern: RoutePattern) {
        router.withLock { router in router.add(route, method: method, pattern: pattern) }
    }

    func setFallback(_ handler: @escaping LoopbackServer.Handler) {
        router.withLock { router in router.fallback = Router.Route(handler: handler) }
    }

    func route(for request: LoopbackRequest) -> Router.Route {
        router.withLock { router in router.route(for: request) }
    }

    // MARK: - Connections
    /// Keeps a connection within reach; one that comes while the server stops is given up at once.
    func register(_ handle: ConnectionHandle, number: Int) {
        connections.withLock { connections in connections[number] = handle }
        if log.value.isStopping {
            handle.run { connection in connection.abandon() }
        }
    }

    func connectionEnded(_ number: Int) {
        connections.withLock { connections in connections[number] = nil }
        log.update { log in log.append(.connectionClosed(connection: number)) }
    }

    /// Does something to every open connection, and returns their numbers.
    @discardableResult
    func forEachConnection(_ action: @escaping @Sendable (ConnectionHandler) -> Void) -> Set<Int> {
        let handles = connections.withLock { connections in connections }
        for handle in handles.values {
            handle.run(action)
        }
        return Set(handles.keys)
    }

    // MARK: - Work
    /// Hands a connection or stream to the workers; once they are gone it is closed.
    func submit(_ exchange: ExchangeChannel) {
        guard case .terminated = exchanges.yield(exchange) else {
            return
        }
        // An async channel that nobody runs is a programming error to NIO, so it is run to do nothing.
        Task {
            try? await exchange.channel.executeThenClose { _, _ in }
        }
    }

    /// Takes no more connections and ends those that there are.
    func stop() {
        log.update { log in log.stop() }
        forEachConnection { connection in connection.abandon() }
        exchanges.finish()
    }

    /// Serves what is submitted until the server stops, and returns when the last handler has returned.
    func serve(_ submitted: AsyncStream<ExchangeChannel>) async {
        await withDiscardingTaskGroup { group in
            for await exchange in submitted {
                group.addTask {
                    await ExchangeDriver(exchange: exchange, core: self).run()
                }
            }
            group.cancelAll()
        }
    }
}
