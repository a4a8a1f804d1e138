// SPDX-License-Identifier: MIT

import NIOCore
import Synchronization

/// The parts that the connections of a server share: its log, its routes and its queue of exchanges.
final class ServerCore: Sendable {
    let log = Monitor(ServerLog())
    let router = Mutex(Router())
    private let connections = Mutex<[Int: NIOLoopBound<ConnectionHandler>]>([:])
    private let exchanges: AsyncStream<ExchangeChannel>.Continuation

    init(exchanges: AsyncStream<ExchangeChannel>.Continuation) {
        self.exchanges = exchanges
    }

    // MARK: - Connections

    /// Registers a connection, unless the server stops, and then counts it as open, so that all in the log can close.
    func register(_ connection: NIOLoopBound<ConnectionHandler>, number: Int) {
        connections.withLock { connections in connections[number] = connection }
        let isStopping = log.update { log in
            log.open(number)
            return log.isStopping
        }
        if isStopping {
            connection.eventLoop.execute { connection.value.abandon() }
        }
    }

    func connectionEnded(_ number: Int) {
        connections.withLock { connections in connections[number] = nil }
        log.note(.connectionClosed(connection: number))
    }

    /// Runs an action on every open connection, and returns their numbers.
    @discardableResult
    func forEachConnection(_ action: @escaping @Sendable (ConnectionHandler) -> Void) -> Set<Int> {
        let open = connections.withLock { connections in connections }
        for connection in open.values {
            connection.eventLoop.execute { action(connection.value) }
        }
        return Set(open.keys)
    }

    // MARK: - Work

    /// Queues a connection or stream, which is closed if the server has stopped.
    func submit(_ exchange: ExchangeChannel) {
        guard case .terminated = exchanges.yield(exchange) else {
            return
        }
        // NIO traps when an async channel is released without having been run.
        Task {
            try? await exchange.channel.executeThenClose { _, _ in }
        }
    }

    func stop() {
        log.update { log in log.isStopping = true }
        forEachConnection { connection in connection.abandon() }
        exchanges.finish()
    }

    /// Serves the queue until the server stops, and returns after the last handler has returned.
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
