// SPDX-License-Identifier: MIT

import NIOCore
import NIOPosix
import NIOSSL

/// Makes one connection of a pool, on whichever way its origin is reached.
///
/// All steps share the time for connecting, and the error says at which of them it was up.
final class ConnectionSetup: Sendable {
    let pool: ConnectionPool
    let proxyTLS: NIOSSLContext?
    private let tls: NIOSSLContext?
    private let eventLoop: any EventLoop
    private let deadline: NIODeadline
    private let began = WireTimes.now

    /// Prepares a connection.
    ///
    /// - Throws: An error of NIOSSL if the trust or the identity cannot be used.
    init(of pool: ConnectionPool, _ contexts: TLSContexts, on eventLoop: any EventLoop) throws {
        self.pool = pool
        self.eventLoop = eventLoop
        deadline = NIODeadline.now() + pool.configuration.connectTimeout
        let origin = pool.origin
        tls = origin.isSecure ? try contexts.context(for: origin, hasHTTP2: pool.maySpeakHTTP2) : nil
        proxyTLS = try origin.way.proxy.flatMap { $0.kind == .https ? try contexts.context(for: $0) : nil }
    }

    /// Begins; the pool hears of the result.
    func start() {
        let origin = pool.origin
        switch origin.way {
        case .names(nil):
            connect(to: origin.host, origin.port)
        case .names(let lookup?):
            find(origin, by: lookup) { setup, places in
                setup.connect(to: places)
            }
        case .host(let host, let port):
            connect(to: host, port)
        case .socket(let path):
            connect { $0.connect(unixDomainSocketPath: path) }
        case .forwarding(let proxy):
            connect(to: proxy.host, proxy.port)
        case .tunnel(let proxy, let lookup):
            guard proxy.kind == .socks5, (try? SocketAddress(ipAddress: origin.host, port: 0)) == nil else {
                return connect(to: proxy.host, proxy.port)
            }
            find(origin, by: lookup) { setup, places in
                guard let place = places.first, let address = place.ipAddress, let port = place.port else {
                    return setup.fail(LookupFault(underlying: nil, text: nil))
                }
                setup.connect(
                    to: proxy.host,
                    proxy.port,
                    destination: SetupStateMachine.Destination(host: address, port: port),
                    found: WireTimes.now
                )
            }
        }
    }

    // MARK: - Lookups

    /// Finds the addresses of the origin.
    private func find(
        _ origin: WireOrigin,
        by lookup: WireLookup?,
        then proceed: @escaping @Sendable (ConnectionSetup, [SocketAddress]) -> Void
    ) {
        let promise = eventLoop.makePromise(of: [SocketAddress].self)
        let (host, port) = (origin.host, origin.port)
        let task = Task {
            do {
                promise.succeed(try await Self.addresses(of: host, port, lookup))
            } catch {
                promise.fail(error)
            }
        }
        let timeout = eventLoop.scheduleTask(deadline: deadline) {
            promise.fail(WireFault.connectTimeout)
            task.cancel()
        }
        promise.futureResult.whenComplete { [self] result in
            timeout.cancel()
            switch result {
            case .success(let addresses): proceed(self, addresses)
            case .failure(let error): fail(error)
            }
        }
    }

    private static func addresses(of host: String, _ port: Int, _ lookup: WireLookup?) async throws -> [SocketAddress] {
        let places: [WireLookup.Place]?
        do {
            places = try await lookup?.find(host, port)
        } catch {
            throw LookupFault(underlying: error, text: nil)
        }
        guard let places else {
            do {
                return try await NIOThreadPool.singleton.runIfActive {
                    [try SocketAddress.makeAddressResolvingHost(host, port: port)]
                }
            } catch {
                throw LookupFault(underlying: error, text: nil)
            }
        }
        guard !places.isEmpty else {
            throw LookupFault(underlying: nil, text: nil)
        }
        return try places.map { place in
            guard let address = try? SocketAddress(ipAddress: place.address, port: place.port) else {
                throw LookupFault(underlying: nil, text: place.address)
            }
            return address
        }
    }

    // MARK: - Connecting

    private func connect(
        to host: String,
        _ port: Int,
        destination: SetupStateMachine.Destination? = nil,
        found: UInt64 = 0
    ) {
        connect(destination: destination, found: found) { [self] bootstrap in
            if let address = try? SocketAddress(ipAddress: host, port: port) {
                bootstrap.connect(to: address)
            } else {
                bootstrap.resolver(pool.configuration.resolver?(eventLoop)).connect(host: host, port: port)
            }
        }
    }

    private func connect(to addresses: [SocketAddress]) {
        connect(found: WireTimes.now) { [self] bootstrap in
            guard addresses.count > 1 else {
                return bootstrap.connect(to: addresses[0])
            }
            let found = FoundAddresses(addresses: addresses, eventLoop: eventLoop)
            return bootstrap.resolver(found).connect(host: pool.origin.host, port: pool.origin.port)
        }
    }

    /// Makes a connection with the handlers for the first step, and takes it into use.
    private func connect(
        destination: SetupStateMachine.Destination? = nil,
        found: UInt64 = 0,
        _ connect: (ClientBootstrap) -> EventLoopFuture<any Channel>
    ) {
        let candidates = ConnectionCandidates()
        let bootstrap = ClientBootstrap(group: eventLoop)
            .connectTimeout(max(.milliseconds(1), deadline - NIODeadline.now()))
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelInitializer { [self] channel in
                channel.eventLoop.makeCompletedFuture {
                    candidates.add(try addFirstHandlers(to: channel, destination), of: channel)
                }
            }
        connect(bootstrap)
            .whenComplete { [self] result in
                switch result {
                case .success(let channel):
                    guard let candidate = candidates.handler(of: channel) else {
                        return fail(WireFault.cut)
                    }
                    var steps = WireSteps()
                    steps.began = began
                    steps.found = found
                    steps.connected = WireTimes.now
                    candidate.claim(until: deadline, steps)
                case .failure(let error):
                    fail(pool.origin.way.proxy.map { ProxyFault($0, .unreachable(error)) } ?? error)
                }
            }
    }

    private func addFirstHandlers(
        to channel: any Channel,
        _ destination: SetupStateMachine.Destination?
    ) throws -> any ConnectionCandidate {
        let origin = pool.origin
        let own = SetupStateMachine.Destination(host: origin.host, port: origin.port)
        let handler: SetupHandler
        switch origin.way {
        case .names, .host, .socket:
            return try addHandlers(to: channel)
        case .forwarding(let proxy):
            guard proxy.kind == .https else {
                return try addHandlers(to: channel)
            }
            handler = SetupHandler(self, proxy, to: nil)
        case .tunnel(let proxy, _):
            handler = SetupHandler(self, proxy, to: destination ?? own)
        }
        try channel.pipeline.syncOperations.addHandler(handler)
        return handler
    }

    /// Adds the handlers of a connection to the origin: TLS, and what carries requests.
    func addHandlers(to channel: any Channel, after handler: SetupHandler? = nil) throws -> ConnectionHandler {
        let origin = pool.origin
        let pipeline = channel.pipeline.syncOperations
        let security = try tls.map { try NIOSSLClientHandler(context: $0, serverHostname: origin.serverName) }
        let carrier = ConnectionHandler(pool, tls: security)
        let handlers: [any ChannelHandler] = security.map { [$0, carrier] } ?? [carrier]
        if let handler {
            try pipeline.addHandlers(handlers, position: .after(handler))
        } else {
            try pipeline.addHandlers(handlers)
        }
        return carrier
    }

    /// Tells the pool why there is no connection.
    func fail(_ error: any Error) {
        switch pool.origin.way {
        case .host, .socket: pool.connectFailed(WayFault(way: pool.origin.way, underlying: error))
        case .names, .forwarding, .tunnel: pool.connectFailed(error)
        }
    }
}

/// The addresses that a lookup has found, as if the system had.
private struct FoundAddresses: Resolver, Sendable {
    let addresses: [SocketAddress]
    let eventLoop: any EventLoop

    func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        eventLoop.makeSucceededFuture(addresses.filter { $0.protocol == .inet })
    }

    func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        eventLoop.makeSucceededFuture(addresses.filter { $0.protocol == .inet6 })
    }

    func cancelQueries() {}
}
