// SPDX-License-Identifier: MIT

#if AsyncHTTPClient

import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOHTTP2

/// Installs this library's handlers on the connections of AsyncHTTPClient.
///
/// Their positions depend on internal handlers of AsyncHTTPClient. If these change, only what needs the position is
/// lost: without ``ConnectionBirth`` an exchange does not report the time for connecting. Only ``StatusGuard`` is
/// required, because without it a server could end the process: connections without it are rejected with an error.
struct ConnectionHooks: Sendable {
    typealias Operations = ChannelPipeline.SynchronousOperations
    typealias Place = @Sendable (Operations) throws -> Operations.Position

    /// The position after the handler that parses responses from a connection's bytes.
    var http1Place: Place = { .after(try $0.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)) }

    /// The position after the handler that parses responses from a stream's frames.
    var http2Place: Place = { .after(try $0.handler(type: HTTP2FramePayloadToHTTP1ClientCodec.self)) }

    /// Records when an HTTP/2 connection was ready, for its streams.
    var noteBirth: @Sendable (any Channel) throws -> Void = { try ConnectionBirth.note(on: $0) }

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
                : hooks.guardResponses(of: channel, at: hooks.http1Place) { .now() }
        }
        settings.http2StreamChannelDebugInitializer = { channel in
            hooks.guardResponses(of: channel, at: hooks.http2Place) {
                ConnectionBirth.instant(ofConnectionWith: channel)
            }
        }
        settings.http2ConnectionDebugInitializer = { channel in
            // Without it the streams' exchanges do not report the time for connecting.
            try? hooks.noteBirth(channel)
            return channel.eventLoop.makeCompletedFuture { try HTTP2Guard.add(to: channel) }
        }
    }

    /// Installs a guard on a connection or a stream; rejects its requests if no position is found.
    private func guardResponses(
        of channel: any Channel,
        at place: Place,
        birth: () -> NIODeadline?
    ) -> EventLoopFuture<Void> {
        if let fault = fault(of: channel.parent ?? channel) {
            return refuse(channel, because: fault)
        }
        let pipeline = channel.pipeline.syncOperations
        do {
            try pipeline.addHandler(
                StatusGuard(birth: birth(), interimLimit: interimLimit),
                position: place(pipeline)
            )
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
