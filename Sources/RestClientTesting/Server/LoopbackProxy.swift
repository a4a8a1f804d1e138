// SPDX-License-Identifier: MIT

import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import RestClient
import Synchronization

/// A proxy for tests, in the test's own process, on a free port of 127.0.0.1.
///
/// It leads to the servers that the test names, and to nothing outside this machine. So a test sees whether requests go
/// the way that they should, and what happens if the proxy is no help.
///
/// ```swift
/// try await LoopbackProxy.with(.http) { proxy in
///     proxy.lead("shop.example", to: server)
///     manager.options = manager.options.proxy(.server(proxy.url))
///     let text = try await manager.request(String.self).url("http://shop.example/a").send()
///     #expect(proxy.requests == ["GET http://shop.example/a"])
/// }
/// ```
public final class LoopbackProxy: Sendable {
    /// The protocol of a proxy, and its manners.
    public enum Mode: Sendable {
        /// HTTP: requests in absolute form, and tunnels by `CONNECT`.
        case http
        /// HTTP over TLS.
        case https(TestIdentity)
        /// SOCKS 5.
        case socks5
        /// HTTP that refuses each request with a status and a body.
        case refusing(status: Int)
        /// SOCKS 5 that refuses each connection with a code of RFC 1928, section 6.
        case refusingSOCKS(code: UInt8)
        /// Connections are accepted, and nothing ever comes back.
        case silent
    }

    struct State {
        var requests: [String] = []
        var ports: [String: Int] = [:]
        var connectionCount = 0
        var channels: [ObjectIdentifier: any Channel] = [:]
    }

    /// The user and the password that a proxy demands.
    struct Login: Sendable {
        let user: String
        let password: String
    }

    /// The port on 127.0.0.1.
    public let port: Int
    let mode: Mode
    let login: Login?
    let state = Mutex(State())
    private let listener = Mutex<(any Channel)?>(nil)

    private init(_ mode: Mode, _ login: Login?, port: Int) {
        self.mode = mode
        self.login = login
        self.port = port
    }

    /// The URL of the proxy, with the user and the password that it demands.
    public var url: String {
        let scheme =
            switch mode {
            case .http, .refusing, .silent: "http"
            case .https: "https"
            case .socks5, .refusingSOCKS: "socks5h"
            }
        let credentials =
            login.map { "\(PercentEncoding.encode($0.user)):\(PercentEncoding.encode($0.password))@" } ?? ""
        return "\(scheme)://\(credentials)127.0.0.1:\(port)"
    }

    /// The requests in order: method and target of those in HTTP, as in `CONNECT shop.example:443`, and `SOCKS5` with
    /// host and port.
    public var requests: [String] { state.withLock { $0.requests } }

    /// The number of connections that were made to the proxy.
    public var connectionCount: Int { state.withLock { $0.connectionCount } }

    /// Leads to a server for all ports of a host.
    ///
    /// - Parameters:
    ///   - host: The name or the address, as the proxy gets it.
    ///   - server: The server.
    public func lead(_ host: String, to server: LoopbackServer) {
        state.withLock { $0.ports[host] = server.port }
    }

    /// Runs an operation with a proxy, and stops the proxy afterwards.
    ///
    /// - Parameters:
    ///   - mode: The protocol.
    ///   - user: The user that it demands; `nil`, the default, for none.
    ///   - password: The password of that user.
    ///   - body: The operation.
    /// - Returns: The operation's result.
    /// - Throws: The operation's error, or an error if no port can be bound.
    public static func with<Result>(
        _ mode: Mode = .http,
        user: String? = nil,
        password: String = "",
        _ body: (LoopbackProxy) async throws -> Result
    ) async throws -> Result {
        let owner = Mutex<LoopbackProxy?>(nil)
        let tls: NIOSSLContext?
        if case .https(let identity) = mode {
            let configuration = TLSConfiguration.makeServerConfiguration(
                certificateChain: [.certificate(identity.certificate)],
                privateKey: .privateKey(identity.privateKey)
            )
            tls = try NIOSSLContext(configuration: configuration)
        } else {
            tls = nil
        }
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(.autoRead, value: true)
            .serverChannelOption(.autoRead, value: false)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    guard let proxy = owner.withLock({ $0 }) else {
                        throw ChannelError.ioOnClosedChannel
                    }
                    if let tls {
                        try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls))
                    }
                    try proxy.accept(channel)
                }
            }
            .bind(host: "127.0.0.1", port: 0)
            .get()
        let proxy = LoopbackProxy(
            mode,
            user.map { Login(user: $0, password: password) },
            port: listener.localAddress?.port ?? 0
        )
        owner.withLock { $0 = proxy }
        proxy.listener.withLock { $0 = listener }
        try await listener.setOption(.autoRead, value: true).get()
        do {
            let result = try await body(proxy)
            await proxy.stop()
            return result
        } catch {
            await proxy.stop()
            throw error
        }
    }

    /// Closes the port and every connection; stopping again has no effect.
    ///
    /// A client then finds nobody at the proxy's URL.
    public func stop() async {
        // A closed listener throws an error.
        try? await listener.withLock { $0.take() }?.close().get()
        for channel in state.withLock({ $0.channels.values.map(\.self) }) {
            try? await channel.close().get()
        }
    }

    private func accept(_ channel: any Channel) throws {
        let id = ObjectIdentifier(channel)
        state.withLock { state in
            state.connectionCount += 1
            state.channels[id] = channel
        }
        channel.closeFuture.whenComplete { _ in
            self.state.withLock { $0.channels[id] = nil }
        }
        let pipeline = channel.pipeline.syncOperations
        switch mode {
        case .http, .https, .refusing:
            let decoder = ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .forwardBytes))
            try pipeline.addHandlers(decoder, HTTPProxyHandler(self, decoder))
        case .socks5, .refusingSOCKS:
            try pipeline.addHandler(SOCKSProxyHandler(self))
        case .silent:
            break
        }
    }

    func note(_ request: String) {
        state.withLock { $0.requests.append(request) }
    }

    /// Connects to the server for a host and a port, on the event loop of a connection.
    func connect(to host: String, _ port: Int, on eventLoop: any EventLoop) -> EventLoopFuture<any Channel> {
        let bare = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        let known = state.withLock { $0.ports[bare] ?? $0.ports[host] }
        guard let target = known ?? (HTTPURL.isLoopback(host) ? port : nil) else {
            return eventLoop.makeFailedFuture(ChannelError.unknownLocalAddress)
        }
        return ClientBootstrap(group: eventLoop)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .connect(host: "127.0.0.1", port: target)
    }
}
