// SPDX-License-Identifier: MIT

import NIOCore
import NIOHTTP2

extension ConnectionSetup {
    /// The largest number of resets, errors or control frames in thirty seconds on an HTTP/2 connection.
    private static let permittedEvents = 10_000

    func configureHTTP2(_ channel: any Channel, _ tap: NIOLoopBound<TransportTap>) throws {
        var connection = NIOHTTP2Handler.ConnectionConfiguration()
        connection.initialSettings = [
            HTTP2Setting(parameter: .maxConcurrentStreams, value: 100),
            HTTP2Setting(parameter: .maxHeaderListSize, value: 1 << 16),
        ]
        // The test decides what is sent, and its responses may be invalid on purpose.
        connection.contentLengthValidation = .disabled
        connection.headerBlockValidation = .disabled
        var stream = NIOHTTP2Handler.StreamConfiguration()
        // Tests quickly cancel many streams. NIO reserves memory for each permitted event, so a limit is necessary.
        stream.streamResetFrameRateLimit.maximumCount = Self.permittedEvents
        stream.streamErrorRateLimit.maximumCount = Self.permittedEvents
        connection.controlFrameRateLimit.maximumCount = Self.permittedEvents
        connection.maximumConnectionGlitches = Self.permittedEvents
        _ = try channel.pipeline.syncOperations.configureHTTP2Pipeline(
            mode: .server,
            connectionConfiguration: connection,
            streamConfiguration: stream
        ) { channel in
            channel.eventLoop.makeCompletedFuture {
                let closed = Gate()
                try channel.pipeline.syncOperations.addHandler(HTTP2StreamCodec(tap: tap.value, closed: closed))
                try submit(channel, closed)
            }
        }
        try channel.pipeline.syncOperations.addHandler(HTTP2FailureHandler(connection: tap.value.connection))
    }
}
