// SPDX-License-Identifier: MIT

import NIOCore
import NIOPosix
import NIOSSL

/// A client that knows no HTTP: it sends the bytes a test wants sent and gives out those that come back.
///
/// It is for what a real client never does: half a request, two at once, a header with a fault, leaving in the middle.
///
/// ```swift
/// let connection = try await LoopbackConnection.open(to: server)
/// try await connection.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
/// let head = try await connection.receive(through: "\r\n\r\n")
/// await connection.close()
/// ```
public final class LoopbackConnection: Sendable {
    /// How a connection is secured.
    public struct TLS: Sendable {
        /// Whose certificate is trusted.
        public var root: TestIdentity
        /// The protocols offered by ALPN, most wanted first, for example `h2`.
        public var protocols: [String] = []
        /// The name the certificate must bear; `nil` means the address.
        public var host: String?
        /// The certificate presented to a server that requests one.
        public var identity: TestIdentity?

        /// Creates settings.
        ///
        /// - Parameters:
        ///   - root: Whose certificate is trusted.
        ///   - protocols: The protocols offered by ALPN. The default is none.
        ///   - host: The name the certificate must bear. The default is the server's address.
        ///   - identity: The certificate presented to a server that requests one. The default is none.
        public init(
            root: TestIdentity,
            protocols: [String] = [],
            host: String? = nil,
            identity: TestIdentity? = nil
        ) {
            self.root = root
            self.protocols = protocols
            self.host = host
            self.identity = identity
        }
    }

    /// The protocol agreed on by ALPN, if any.
    public let negotiatedProtocol: String?
    private let channel: any Channel
    private let inbox: Monitor<LoopbackInbox>

    private init(channel: any Channel, inbox: Monitor<LoopbackInbox>, negotiatedProtocol: String?) {
        self.channel = channel
        self.inbox = inbox
        self.negotiatedProtocol = negotiatedProtocol
    }

    deinit {
        channel.close(promise: nil)
    }

    /// Connects to a server, over TLS if the server speaks it, trusting its certificate.
    ///
    /// - Parameters:
    ///   - server: The server.
    ///   - protocols: The protocols offered by ALPN. The default is none.
    /// - Returns: The connection; over TLS, its handshake has ended.
    /// - Throws: An error when the connection or the handshake fails.
    public static func open(to server: LoopbackServer, protocols: [String] = []) async throws -> LoopbackConnection {
        let tls = server.mode.identity.map { identity in TLS(root: identity, protocols: protocols) }
        return try await open(port: server.port, tls: tls)
    }

    /// Connects to a port of 127.0.0.1.
    ///
    /// - Parameters:
    ///   - port: The port.
    ///   - tls: How the connection is secured. The default is that it is not.
    ///   - timeout: How long to wait for the socket to connect. The default is ten seconds.
    /// - Returns: The connection; over TLS, its handshake has ended.
    /// - Throws: An error when the connection or the handshake fails.
    public static func open(
        port: Int,
        tls: TLS? = nil,
        timeout: Duration = .seconds(10)
    ) async throws -> LoopbackConnection {
        let inbox = Monitor(LoopbackInbox(awaitsHandshake: tls != nil))
        let context = try tls.map { tls in try NIOSSLContext(configuration: tls.configuration) }
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(TimeAmount(timeout))
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let context {
                        let handler = try NIOSSLClientHandler(context: context, serverHostname: tls?.host)
                        try channel.pipeline.syncOperations.addHandler(handler)
                    }
                    try channel.pipeline.syncOperations.addHandler(LoopbackInboxHandler(inbox: inbox))
                }
            }
            .connect(host: "127.0.0.1", port: port)
            .get()
        do {
            let negotiated = try await inbox.wait { inbox in inbox.handshakeResult }.get()
            return LoopbackConnection(channel: channel, inbox: inbox, negotiatedProtocol: negotiated)
        } catch {
            channel.close(promise: nil)
            throw error
        }
    }

    /// Sends bytes.
    ///
    /// - Parameter bytes: The bytes.
    /// - Throws: An error when the connection is gone.
    public func send(_ bytes: [UInt8]) async throws {
        try await channel.writeAndFlush(ByteBuffer(bytes: bytes))
    }

    /// Sends text as UTF-8.
    ///
    /// - Parameter text: The text, with its line breaks (`\r\n`).
    /// - Throws: An error when the connection is gone.
    public func send(_ text: String) async throws {
        try await send(Array(text.utf8))
    }

    /// Waits for so many bytes and takes them.
    ///
    /// - Parameter count: How many bytes.
    /// - Returns: Exactly so many bytes.
    /// - Throws: ``LoopbackConnectionError`` when the connection ends first, `CancellationError` when the task is
    ///   cancelled.
    public func receive(count: Int) async throws -> [UInt8] {
        try await inbox.wait { inbox in inbox.take(count: count) }.get()
    }

    /// Waits for a text and takes everything up to its end.
    ///
    /// - Parameter marker: The text, for example the empty line after a head.
    /// - Returns: The received bytes, including the marker.
    /// - Throws: ``LoopbackConnectionError`` when the connection ends first, `CancellationError` when the task is
    ///   cancelled.
    public func receive(through marker: String) async throws -> String {
        let pattern = Array(marker.utf8)
        let bytes = try await inbox.wait { inbox in inbox.take(through: pattern) }.get()
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Waits until the server has closed the connection and takes what has come.
    ///
    /// - Returns: Every byte that has not been taken.
    /// - Throws: ``LoopbackConnectionError`` when the connection was reset or failed, `CancellationError` when the task
    ///   is cancelled.
    public func receiveToEnd() async throws -> [UInt8] {
        try await inbox.wait { inbox in inbox.takeToEnd() }.get()
    }

    /// Waits until the connection has ended, in any way and by either side.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    public func waitForEnd() async throws {
        try await inbox.wait { inbox in inbox.hasEnded ? () : nil }
    }

    /// Closes the connection.
    public func close() async {
        // A connection that is closed already says so by an error.
        try? await channel.close().get()
    }

    /// Resets the connection: the server sees an error in place of an end.
    ///
    /// - Throws: An error when the socket is gone already.
    public func reset() async throws {
        try await SocketReset.prepare(channel).get()
        await close()
    }
}

extension LoopbackConnection.TLS {
    fileprivate var configuration: TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = .certificates([root.certificate])
        configuration.applicationProtocols = protocols
        if let identity {
            configuration.certificateChain = [.certificate(identity.certificate)]
            configuration.privateKey = .privateKey(identity.privateKey)
        }
        return configuration
    }
}
