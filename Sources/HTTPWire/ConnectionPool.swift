// SPDX-License-Identifier: MIT

import NIOCore
import NIOSSL
import Synchronization

/// The connections to one origin.
package final class ConnectionPool: Sendable {
    typealias Machine = PoolStateMachine<WireConnection, WireExchange>
    typealias WaiterID = Machine.WaiterID

    package let origin: WireOrigin
    let configuration: WireConfiguration
    private let eventLoops: any EventLoopGroup
    private let tls: TLSContexts
    private let state: Mutex<Machine>

    /// Creates the connections to an origin, of which there are none yet.
    init(
        to origin: WireOrigin,
        _ configuration: WireConfiguration,
        tls: TLSContexts?,
        on eventLoops: any EventLoopGroup
    ) {
        self.origin = origin
        self.configuration = configuration
        self.eventLoops = eventLoops
        self.tls = tls ?? TLSContexts(configuration)
        state = Mutex(
            Machine(
                limit: configuration.connectionsPerOrigin,
                sharedLimit: origin.maySpeakHTTP2(configuration) ? max(1, configuration.sharedConnectionsPerOrigin) : 0,
                idleTimeout: configuration.idleTimeout,
                maximumAge: configuration.maximumAge
            )
        )
    }

    /// A Boolean value that is true if a new connection may turn out to be one of HTTP/2.
    var maySpeakHTTP2: Bool { state.withLock { $0.mayShare } }

    /// Returns the reason to refuse a server that showed a certificate: it is weak or does not name its host, or its
    /// key is not pinned.
    func fault(of certificate: NIOSSLCertificate?) -> (any Error)? {
        guard origin.isSecure else {
            return nil
        }
        // NIOSSL takes an address for enough that is the one connected to, which may be that of a proxy.
        if !origin.isUnchecked, let defect = CertificateDefect.find(showing: certificate, for: origin.host) {
            return defect
        }
        if certificate == nil, origin.way != .direct {
            return CertificateDefect.unreadable
        }
        return origin.pinnedKeys.isEmpty ? nil : PinMismatch.find(showing: certificate, pins: origin.pinnedKeys)
    }

    /// A Boolean value that is true if nothing is open, under way or waited for.
    var isEmpty: Bool { state.withLock { $0.isEmpty } }

    // MARK: - Exchanges

    /// Gives an exchange a connection, now or later.
    func acquire(for exchange: WireExchange) {
        let acquisition = state.withLock { $0.acquire(exchange, at: .now()) }
        switch acquisition {
        case .use(let connection):
            connection.start(exchange)
        case .wait(let waiter, let connects):
            exchange.wait(as: waiter)
            connect(connects)
        case .refuse:
            exchange.fail(WireFault.closed)
        }
    }

    func withdraw(_ waiter: WaiterID) {
        state.withLock { $0.withdraw(waiter) }
    }

    // MARK: - Connections

    /// Takes a connection that can carry another exchange.
    ///
    /// - Returns: The exchange that it is to carry at once, and false if it is to be closed.
    func release(_ connection: WireConnection) -> (next: WireExchange?, isKept: Bool) {
        let release = state.withLock { $0.release(connection, born: connection.birth, at: .now()) }
        return use(connection, release)
    }

    /// Takes a new connection, on its event loop; returns the same.
    func connected(_ connection: WireConnection) -> (next: WireExchange?, isKept: Bool) {
        let next = state.withLock { $0.connected(connection, at: connection.birth) }
        connect(next.connects)
        return use(connection, next.use)
    }

    /// Takes a new connection that carries many exchanges at once, on its event loop.
    ///
    /// - Returns: The exchanges that it is to carry at once; `nil` if it is to be closed.
    func connected(_ connection: WireConnection, limit: Int) -> [WireExchange]? {
        let (first, connects) = state.withLock { $0.connected(connection, limit: limit, at: connection.birth) }
        connect(connects)
        return first
    }

    /// Takes the end of one exchange of a connection for many.
    ///
    /// - Returns: The exchanges that it is to carry next; `nil` if it is to be closed once it carries none.
    func released(_ connection: WireConnection) -> [WireExchange]? {
        guard let release = state.withLock({ $0.released(connection, at: .now()) }) else {
            return nil
        }
        if let alarm = release.alarm {
            setAlarm(to: alarm, on: connection.eventLoop)
        }
        return release.next
    }

    /// Takes another number of exchanges that a connection may carry at once; returns those that it is to carry now.
    func resized(_ connection: WireConnection, limit: Int) -> [WireExchange] {
        let (next, connects) = state.withLock { $0.resized(connection, limit: limit) }
        connect(connects)
        return next
    }

    /// Takes the news that a connection carries no further exchanges, although those under way go on.
    func retired(_ connection: WireConnection) {
        connect(state.withLock { $0.retired(connection) })
    }

    /// Takes the server's word that it wants HTTP/1.1: no further connection offers HTTP/2.
    func requireHTTP1() {
        state.withLock { $0.requireOne() }
    }

    private func use(_ connection: WireConnection, _ release: Machine.Release) -> (next: WireExchange?, isKept: Bool) {
        switch release {
        case .serve(let exchange):
            return (exchange, true)
        case .keep(let alarm):
            if let alarm {
                setAlarm(to: alarm, on: connection.eventLoop)
            }
            return (nil, true)
        case .close:
            return (nil, false)
        }
    }

    /// Takes the failure to make a connection.
    func connectFailed(_ error: any Error) {
        let (failed, connects) = state.withLock { $0.connectFailed() }
        connect(connects)
        failed?.fail(error)
    }

    /// Takes the end of a connection.
    func closed(_ connection: WireConnection) {
        connect(state.withLock { $0.closed(connection) })
    }

    /// Closes the connections that are not used, and fails those that wait.
    func close() {
        let (idle, waiters) = state.withLock { $0.close() }
        for connection in idle {
            connection.closeIfIdle()
        }
        for exchange in waiters {
            exchange.fail(WireFault.closed)
        }
    }

    private func setAlarm(to deadline: NIODeadline, on eventLoop: any EventLoop) {
        eventLoop.scheduleTask(deadline: deadline) { [weak self] in
            self?.sweep(on: eventLoop)
        }
    }

    private func sweep(on eventLoop: any EventLoop) {
        let (expired, alarm) = state.withLock { $0.sweep(at: .now()) }
        for connection in expired {
            connection.closeIfIdle()
        }
        if let alarm {
            setAlarm(to: alarm, on: eventLoop)
        }
    }

    // MARK: - Connecting

    private func connect(_ count: Int) {
        for _ in 0..<count {
            connect()
        }
    }

    private func connect() {
        do {
            try ConnectionSetup(of: self, tls, on: eventLoops.next()).start()
        } catch {
            connectFailed(error)
        }
    }
}
