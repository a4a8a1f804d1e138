// SPDX-License-Identifier: MIT

import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOHTTP2

/// Puts this library's handlers on the connections of AsyncHTTPClient.
///
/// Their places depend on handlers that AsyncHTTPClient does not promise. If these move, only what needs the place is
/// lost: without ``ConnectionBirth`` an exchange does not tell how long connecting took. The one handler that must be
/// there is ``StatusGuard``, as a server could end the process without it: such connections are refused, in words.
struct ConnectionHooks: Sendable {
    typealias Operations = ChannelPipeline.SynchronousOperations
    typealias Place = @Sendable (Operations) throws -> Operations.Position

    /// The place behind the handler that makes parts of responses out of a connection's bytes.
    var http1Place: Place = { .after(try $0.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)) }

    /// The place behind the handler that makes parts of responses out of a stream's frames.
    var http2Place: Place = { .after(try $0.handler(type: HTTP2FramePayloadToHTTP1ClientCodec.self)) }

    /// Remembers when a connection of HTTP/2 was ready, for its streams.
    var noteBirth: @Sendable (any Channel) throws -> Void = { try ConnectionBirth.note(on: $0) }

    /// How many interim responses may come before a final one.
    var interimLimit = AsyncHTTPClientTransport.Configuration().interimResponseLimit

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
            // Without it the streams' exchanges do not tell how long connecting took.
            try? hooks.noteBirth(channel)
            return channel.eventLoop.makeSucceededVoidFuture()
        }
    }

    /// Puts a guard on a connection or a stream; refuses its requests if there is no place for one.
    private func guardResponses(
        of channel: any Channel,
        at place: Place,
        birth: () -> NIODeadline?
    ) -> EventLoopFuture<Void> {
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

    private func refuse(_ channel: any Channel, because reason: any Error) -> EventLoopFuture<Void> {
        channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(ConnectionRefusal(reason), position: .first)
        }
    }
}
