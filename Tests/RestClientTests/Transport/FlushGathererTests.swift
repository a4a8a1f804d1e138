// SPDX-License-Identifier: MIT

import NIOCore
import NIOEmbedded
import Testing

@testable import RestClient

@Suite
struct FlushGathererTests {
    /// Notes what the socket is asked for; the handlers nearer to it come first in a pipeline.
    private final class Notes: ChannelOutboundHandler {
        typealias OutboundIn = String

        private(set) var events: [String] = []

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            events.append(unwrapOutboundIn(data))
            context.write(data, promise: promise)
        }

        func flush(context: ChannelHandlerContext) {
            events.append("flush")
            context.flush()
        }

        func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
            events.append("close")
            context.close(mode: mode, promise: promise)
        }
    }

    @Test
    func `what is written in one turn is flushed once`() throws {
        let notes = Notes()
        let channel = EmbeddedChannel(handlers: [notes, FlushGatherer()])

        channel.writeAndFlush("first", promise: nil)
        channel.writeAndFlush("second", promise: nil)
        channel.embeddedEventLoop.run()
        channel.writeAndFlush("third", promise: nil)
        channel.embeddedEventLoop.run()
        _ = try channel.finish()

        #expect(notes.events == ["first", "second", "flush", "third", "flush", "close"])
    }

    @Test
    func `what waits is flushed before the connection is closed`() throws {
        let notes = Notes()
        let channel = EmbeddedChannel(handlers: [notes, FlushGatherer()])

        channel.writeAndFlush("last", promise: nil)
        _ = try channel.finish()

        #expect(notes.events == ["last", "flush", "close"])
    }
}
