// SPDX-License-Identifier: MIT

import NIOCore
import NIOEmbedded
import NIOWebSocket
import RestEssentials
import Testing

@testable import RestClientWebSocket

/// The signs of life of the server, read by read.
@Suite
struct ConnectionHandlerTests {
    private let inbox = Inbox(limit: 1_024)
    private let pongs = PongTable()

    private func connect() throws -> EmbeddedChannel {
        let machine = WebSocketStateMachine(messageLimit: 1_024, fragmentLimit: 16, codec: nil)
        let handler = ConnectionHandler(machine, inbox: inbox, pongs: pongs, fragmentSize: nil) {
            $0
        } ended: { _, _ in
        }
        return EmbeddedChannel(handler: handler)
    }

    @Test
    func `the end of a read is no sign of life after a ping that its message has led to`() async throws {
        let channel = try connect()
        defer { _ = try? channel.finish(acceptAlreadyClosed: true) }

        channel.pipeline.fireChannelRead(WebSocketFrame(fin: true, opcode: .text, data: ByteBuffer(string: "one")))
        #expect(try await inbox.next() == .text("one"))
        #expect(pongs.hasHeard)
        pongs.listen()
        channel.pipeline.fireChannelReadComplete()

        #expect(!pongs.hasHeard)
    }

    @Test
    func `a read that holds a part of a frame is a sign of life`() throws {
        let channel = try connect()
        defer { _ = try? channel.finish(acceptAlreadyClosed: true) }
        channel.pipeline.fireChannelRead(WebSocketFrame(fin: true, opcode: .text, data: ByteBuffer(string: "one")))
        channel.pipeline.fireChannelReadComplete()

        pongs.listen()
        channel.pipeline.fireChannelReadComplete()

        #expect(pongs.hasHeard)
    }
}
