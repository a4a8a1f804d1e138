// SPDX-License-Identifier: MIT

#if AsyncHTTPClient

import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOHTTP2

/// Installs this library's handlers on the connections of AsyncHTTPClient.
///
/// Their positions depend on internal handlers of AsyncHTTPClient. If these change, connections without ``StatusGuard``
/// are rejected with an error, because a server could end the process over them.
struct ConnectionHooks: Sendable {
    typealias Operations = ChannelPipeline.SynchronousOperations
    typealias Place = @Sendable (Operations) throws -> Operations.Position

    /// The position after the handler that parses responses from a connection's bytes.
    var http1Place: Place = { .after(try $0.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)) }

    /// The position after the handler that parses responses from a stream's frames.
    var http2Place: Place = { .after(try $0.handler(type: HTTP2FramePayloadToHTTP1ClientCodec.self)) }

    /// How many interim responses may come before a final one.
    var interimLimit = DirectTransport.Configuration().interimResponseLimit

    /// A Boolean value that is true if the certificates of servers on this machine are not checked.
    var trustsAnyLoopbackCertificate = false

    /// The keys that the servers of all connections may have; empty for any.
    var pinnedKeys: Set<String> = []

    /// Sets the hooks.
    func install(in settings: inout HTTPClient.Configuration, requiresHTTP2: Bool) {
        let hooks = self
        settings.http1_1ConnectionDebugInitializer = { channel in
            requiresHTTP2
                ? hooks.refuse(channel, because: HTTP2Required())
                : hooks.guardConnection(channel)
        }
        settings.http2StreamChannelDebugInitializer = { channel in
            hooks.guardStream(channel)
        }
        settings.http2ConnectionDebugInitializer = { channel in
            channel.eventLoop.makeCompletedFuture {
                // What does not change for the streams is found out once.
                try channel.pipeline.syncOperations.addHandler(HTTP2Guard(refusal: hooks.fault(of: channel)))
            }
        }
    }

    private func guardConnection(_ channel: any Channel) -> EventLoopFuture<Void> {
        if let fault = fault(of: channel) {
            return refuse(channel, because: fault)
        }
        return add(StatusGuard(birth: ConnectionBirth(), interimLimit: interimLimit), to: channel, at: http1Place)
    }

    private func guardStream(_ channel: any Channel) -> EventLoopFuture<Void> {
        do {
            let connection = try HTTP2Guard.ofConnection(with: channel)
            if let refusal = connection.refusal {
                return refuse(channel, because: refusal)
            }
            return add(
                StatusGuard(birth: connection.birth, interimLimit: interimLimit, connection: connection),
                to: channel,
                at: http2Place
            )
        } catch {
            return refuse(channel, because: UnguardedConnection(underlying: error))
        }
    }

    /// Installs a guard on a connection or a stream; rejects its requests if no position is found.
    private func add(_ handler: StatusGuard, to channel: any Channel, at place: Place) -> EventLoopFuture<Void> {
        let pipeline = channel.pipeline.syncOperations
        do {
            try pipeline.addHandler(handler, position: place(pipeline))
            return channel.eventLoop.makeSucceededVoidFuture()
        } catch {
            return refuse(channel, because: UnguardedConnection(underlying: error))
        }
    }

    /// Returns the reason to refuse the server of a connection.
    private func fault(of connection: any Channel) -> (any Error)? {
        let address = connection.remoteAddress?.ipAddress
        let isLoopback = address.map { $0 == "::1" || $0.hasPrefix("127.") } ?? false
        return ServerTerms(
            checksCertificate: !(trustsAnyLoopbackCertificate && isLoopback),
            pinnedKeys: pinnedKeys
        )
        .fault(of: connection)
    }

    private func refuse(_ channel: any Channel, because reason: any Error) -> EventLoopFuture<Void> {
        channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(ConnectionRefusal(reason), position: .first)
        }
    }
}

#endif
