// SPDX-License-Identifier: MIT

import NIOCore
import NIOPosix
import Testing

@testable import RestClientWebSocket

/// Cancelling while a connection is being made.
@Suite(.timeLimit(.minutes(5)))
struct ConnectionAttemptTests {
    private static func channel() async throws -> any Channel {
        try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton).bind(host: "127.0.0.1", port: 0).get()
    }

    /// Returns true unless the channel was closed by what its event loop has done so far.
    private static func isOpen(_ channel: any Channel) async throws -> Bool {
        try await channel.eventLoop.submit { channel.isActive }.get()
    }

    @Test
    func `cancelling closes the channels of all addresses, also one that comes later`() async throws {
        let channels = [try await Self.channel(), try await Self.channel(), try await Self.channel()]
        let attempt = ConnectionAttempt()
        attempt.begin(channels[0])
        attempt.begin(channels[1])
        #expect(try await Self.isOpen(channels[0]))
        #expect(try await Self.isOpen(channels[1]))

        attempt.cancel()
        attempt.begin(channels[2])

        for channel in channels {
            let isOpen = try await Self.isOpen(channel)
            #expect(!isOpen)
            try? await channel.close().get()
        }
    }
}
