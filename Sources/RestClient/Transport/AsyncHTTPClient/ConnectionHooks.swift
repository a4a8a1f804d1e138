// SPDX-License-Identifier: MIT

#if AsyncHTTPClient

import AsyncHTTPClient
import NIOCore
import NIOHPACK
import NIOHTTP1
import NIOHTTP2
import RestEssentials

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

/// Fails the requests of a connection, or of a stream, with an error that explains why it is not used.
///
/// It is the first handler of its pipeline, so it depends on no other one: nothing is sent or read. AsyncHTTPClient
/// must not receive a failure before it has a request, because that ends the process.
final class ConnectionRefusal: ChannelDuplexHandler {
    typealias InboundIn = Any
    typealias OutboundIn = Any

    private let reason: any Error
    private var hasRefused = false
    private var hasTold = false

    init(_ reason: any Error) {
        self.reason = reason
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {}

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        promise?.fail(reason)
        guard !hasRefused else {
            return
        }
        hasRefused = true
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        // Delayed, because the writer is not prepared for an error before the write returns.
        context.eventLoop.execute {
            let (refusal, context) = bound.value
            refusal.tell(context)
            context.close(promise: nil)
        }
    }

    /// Reports the rejection if that has not happened: a failed write may close the connection earlier, and its end
    /// must not be attributed to the server.
    func channelInactive(context: ChannelHandlerContext) {
        if hasRefused {
            tell(context)
        }
        context.fireChannelInactive()
    }

    private func tell(_ context: ChannelHandlerContext) {
        if !hasTold {
            hasTold = true
            context.fireErrorCaught(reason)
        }
    }
}

/// Gathers what the streams of a connection write in one turn of its event loop, and flushes it once.
///
/// Each stream flushes its own request, which would be a record of TLS and a write to the socket for each. The flush
/// waits only for tasks that the event loop had before.
final class FlushGatherer: ChannelOutboundHandler {
    typealias OutboundIn = Any

    private var isPending = false

    func flush(context: ChannelHandlerContext) {
        guard !isPending else {
            return
        }
        isPending = true
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        context.eventLoop.execute {
            let (gatherer, context) = bound.value
            gatherer.flushPending(context)
        }
    }

    /// Flushes before the connection is closed, which would drop what waits.
    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        flushPending(context)
        context.close(mode: mode, promise: promise)
    }

    private func flushPending(_ context: ChannelHandlerContext) {
        if isPending {
            isPending = false
            context.flush()
        }
    }
}

/// Refuses a head of HTTP/2 that NIOHTTP2 would end the process for, or that takes too long to read.
///
/// It is in front of the handler that makes responses of frames, which takes the first character of `:status` without
/// looking whether there is one.
final class HTTP2HeadGuard: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias InboundOut = HTTP2Frame.FramePayload

    private var hasRefused = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !hasRefused else {
            return
        }
        if case .headers(let block) = unwrapInboundIn(data) {
            for (name, value, _) in block.headers {
                if let defect = Self.defect(of: name, value) {
                    hasRefused = true
                    context.fireErrorCaught(RestClientError(.malformedResponse, defect))
                    context.close(promise: nil)
                    return
                }
            }
        }
        context.fireChannelRead(data)
    }

    static func defect(of name: String, _ value: String) -> String? {
        guard !MarkRun.isExcessive(value) else {
            return "the value of a field has too many combining marks in a row"
        }
        guard name.utf8.elementsEqual(":status".utf8) else {
            return nil
        }
        let digits = Array(value.utf8)
        let isStatus = digits.count == 3 && digits.allSatisfy { (0x30...0x39).contains($0) } && digits[0] != 0x30
        return isStatus ? nil : "the response has no valid status"
    }
}

#endif
