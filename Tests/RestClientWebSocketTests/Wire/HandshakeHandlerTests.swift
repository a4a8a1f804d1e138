// SPDX-License-Identifier: MIT

import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOTLS
import RestClient
import TestSupport
import Testing

@testable import RestClientWebSocket

/// How long a handshake may take, on an event loop whose time the test moves.
@Suite
struct HandshakeHandlerTests {
    /// Adds a handler to a channel that is not connected yet; connecting may last until ten seconds.
    ///
    /// - Returns: The failures of the handshake.
    private static func add(to channel: EmbeddedChannel, isSecure: Bool) throws -> Recorder<RestClientError> {
        let request = TransportRequest(method: .get, url: "\(isSecure ? "https" : "http")://api.example.com/feed")
        let options = WebSocketOptions()
        let promise = channel.eventLoop.makePromise(of: HandshakeHandler.Outcome.self)
        let failures = Recorder<RestClientError>()
        promise.futureResult.whenFailure { error in
            if let error = error as? RestClientError {
                failures.record(error)
            }
        }
        let handler = HandshakeHandler(
            try HandshakeRequest(request, HTTPURL(request.url), options),
            options,
            terms: isSecure ? ServerTerms(checksCertificate: false) : nil,
            connectDeadline: .uptimeNanoseconds(10_000_000_000),
            handover: HandoverHandler(),
            encoder: HTTPRequestEncoder(),
            decoder: ByteToMessageHandler(HTTPResponseDecoder(leftOverBytesStrategy: .forwardBytes)),
            pause: { _ in },
            promise: promise
        )
        try channel.pipeline.syncOperations.addHandler(handler)
        return failures
    }

    private static func connect(_ channel: EmbeddedChannel) throws {
        channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
    }

    @Test
    func `TLS has what is left of the time for connecting`() throws {
        let channel = EmbeddedChannel()
        defer { _ = try? channel.finish(acceptAlreadyClosed: true) }
        let failures = try Self.add(to: channel, isSecure: true)
        channel.embeddedEventLoop.advanceTime(by: .seconds(4))

        try Self.connect(channel)
        channel.embeddedEventLoop.advanceTime(by: .seconds(5))
        #expect(failures.count == 0)
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .seconds(1))

        #expect(failures.elements.map(\.code) == [.timeout])
        #expect(failures.elements.first?.message.contains("no connection to api.example.com") == true)
        #expect(!channel.isActive)
        #expect(try channel.readOutbound(as: HTTPClientRequestPart.self) == nil)
    }

    @Test
    func `the response may come later than the time for connecting, once TLS is set up`() throws {
        let channel = EmbeddedChannel()
        defer { _ = try? channel.finish(acceptAlreadyClosed: true) }
        let failures = try Self.add(to: channel, isSecure: true)
        try Self.connect(channel)
        #expect(try channel.readOutbound(as: HTTPClientRequestPart.self) == nil)

        channel.pipeline.fireUserInboundEventTriggered(TLSUserEvent.handshakeCompleted(negotiatedProtocol: nil))
        channel.embeddedEventLoop.advanceTime(by: .hours(1))

        #expect(failures.count == 0)
        #expect(channel.isActive)
        #expect(try channel.readOutbound(as: HTTPClientRequestPart.self) != nil)
    }

    @Test
    func `without TLS the request goes out when the connection is made, and waits for its response`() throws {
        let channel = EmbeddedChannel()
        defer { _ = try? channel.finish(acceptAlreadyClosed: true) }
        let failures = try Self.add(to: channel, isSecure: false)

        try Self.connect(channel)
        channel.embeddedEventLoop.advanceTime(by: .hours(1))

        #expect(failures.count == 0)
        #expect(channel.isActive)
        #expect(try channel.readOutbound(as: HTTPClientRequestPart.self) != nil)
    }
}
