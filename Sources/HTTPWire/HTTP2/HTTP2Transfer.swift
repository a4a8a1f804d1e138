// SPDX-License-Identifier: MIT

import NIOCore
import RestEssentials

/// One exchange on a connection of HTTP/2, for its handler.
final class HTTP2Transfer {
    let exchange: WireExchange
    let stream: Int
    var times: WireTimes
    var sending = RequestStateMachine()
    var continueTimer: Scheduled<Void>?
    /// The chunks of a streamed body.
    var upload: WireUpload?
    /// The rest of a chunk for which there was no room.
    var chunk = ByteBuffer()
    var head: HTTP2Fields?
    var interim: [HeadBytes] = []
    var body = Data()
    var limit = 0
    /// The bytes of a streamed body that its reader has not taken, while it is behind.
    var held = 0
    /// True if the response is complete.
    var isComplete = false

    init(_ exchange: WireExchange, on stream: Int, _ times: WireTimes) {
        self.exchange = exchange
        self.stream = stream
        self.times = times
    }

    /// The response so far.
    var response: WireResponse? {
        head.flatMap { fields in
            fields.head.map { head in
                WireResponse(
                    head: head,
                    body: body,
                    interim: interim,
                    times: times,
                    hasContentCoding: fields.hasContentCoding,
                    hasSurplus: false
                )
            }
        }
    }

    /// Forgets what would go on by itself.
    func close() {
        continueTimer?.cancel()
        continueTimer = nil
        upload.take()?.close()
        sending.reset()
    }
}
