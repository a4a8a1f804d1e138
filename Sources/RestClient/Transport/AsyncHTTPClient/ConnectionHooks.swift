// SPDX-License-Identifier: MIT

#if AsyncHTTPClient

import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOHTTP2

/// Installs this library's handlers on the connections of AsyncHTTPClient.
///
/// Their positions depend on internal handlers of AsyncHTTPClient. If these change, nothing is sent over connections
/// without ``StatusGuard``, because a server could end the process over them: the requests fail with
/// ``UnguardedConnection``, and the transports send them in another way if there is one.
struct ConnectionHooks: Sendable {
    typealias Operations = ChannelPipeline.SynchronousOperations
    typealias Place = @Sendable (Operations) throws -> Operations.Position

    /// The position after the handler that parses responses from a connection's bytes.
    var http1Place: Place = { .after(try $0.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)) }

    /// The position after the handler that parses responses from a stream's frames.
    var http2Place: Place = { .after(try $0.handler(type: HTTP2FramePayloadToHTTP1ClientCodec.self)) }

    var interimLimit = DirectTransport.Configuration().interimResponseLimit

    var trustsAnyLoopbackCertificate = false

    var pinnedKeys: Set<String> = []

    var unguarded = UnguardedVersions()

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
                try hooks.prepareForStreams(channel)
            }
        }
    }

    private func prepareForStreams(_ connection: any Channel) throws {
        let pipeline = connection.pipeline.syncOperations
        // What does not change for the streams is found out once.
        try pipeline.addHandler(HTTP2Guard(refusal: fault(of: connection)))
        // It only saves work: nothing fails where it has no place.
        if let frames = try? pipeline.handler(type: NIOHTTP2Handler.self) {
            try pipeline.addHandler(FlushGatherer(), position: .before(frames))
        }
    }

    private func guardConnection(_ channel: any Channel) -> EventLoopFuture<Void> {
        if let fault = fault(of: channel) {
            return refuse(channel, because: fault)
        }
        return add(
            StatusGuard(birth: ConnectionBirth(), interimLimit: interimLimit),
            to: channel,
            at: http1Place,
            of: .http1
        )
    }

    private func guardStream(_ channel: any Channel) -> EventLoopFuture<Void> {
        do {
            let connection = try HTTP2Guard.ofConnection(with: channel)
            if let refusal = connection.refusal {
                return refuse(channel, because: refusal)
            }
            let pipeline = channel.pipeline.syncOperations
            let codec = try pipeline.handler(type: HTTP2FramePayloadToHTTP1ClientCodec.self)
            try pipeline.addHandler(HTTP2HeadGuard(), position: .before(codec))
            return add(
                StatusGuard(birth: connection.birth, interimLimit: interimLimit, connection: connection),
                to: channel,
                at: http2Place,
                of: .http2
            )
        } catch {
            return refuse(channel, unguarded: .http2, because: error)
        }
    }

    /// Installs a guard on a connection or a stream; rejects its requests if no position is found.
    private func add(
        _ handler: StatusGuard,
        to channel: any Channel,
        at place: Place,
        of version: UnguardedConnection.Version
    ) -> EventLoopFuture<Void> {
        let pipeline = channel.pipeline.syncOperations
        do {
            try pipeline.addHandler(handler, position: place(pipeline))
            return channel.eventLoop.makeSucceededVoidFuture()
        } catch {
            return refuse(channel, unguarded: version, because: error)
        }
    }

    private func refuse(
        _ channel: any Channel,
        unguarded version: UnguardedConnection.Version,
        because error: any Error
    ) -> EventLoopFuture<Void> {
        guard (channel.parent ?? channel).isActive else {
            // A connection that has ended has no handlers, which says nothing about other connections.
            return refuse(channel, because: StaleConnection(underlying: error))
        }
        unguarded.insert(version)
        return refuse(channel, because: UnguardedConnection(version: version, underlying: error))
    }

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
