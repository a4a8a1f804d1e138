// SPDX-License-Identifier: MIT

import AsyncHTTPClient
import NIOCore
import RestEssentials
import Testing

@testable import RestClient

@Suite
struct StaleConnectionTests {
    typealias Row = (error: any Error, isSent: Bool, isIdempotent: Bool, allows: Bool)

    @Test(
        arguments: [
            (StaleConnection(underlying: nil), true, true, true),
            (StaleConnection(underlying: ChannelError.eof), true, true, true),
            (StaleConnection(underlying: nil), true, false, false),
            (ChannelError.ioOnClosedChannel, false, true, true),
            (ChannelError.ioOnClosedChannel, false, false, true),
            (ChannelError.ioOnClosedChannel, true, true, false),
            (ChannelError.eof, false, true, false),
            (HTTPClientError.remoteConnectionClosed, false, true, true),
            (HTTPClientError.remoteConnectionClosed, false, false, true),
            (HTTPClientError.remoteConnectionClosed, true, true, false),
            (HTTPClientError.cancelled, false, false, true),
            (HTTPClientError.cancelled, true, true, false),
            (RestClientError(.timeout, "late"), true, true, false),
        ] as [Row]
    )
    func `RFC 9110, 9.2.2: only what was not sent, or does the same twice, is sent again`(row: Row) {
        let repetition = Repetition(isIdempotent: row.isIdempotent)
        let occasion = StaleConnection.occasion(after: row.error, isSent: row.isSent)

        #expect((occasion.map(repetition.allows) ?? false) == row.allows)
    }
}
