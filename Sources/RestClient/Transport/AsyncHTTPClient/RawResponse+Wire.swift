// SPDX-License-Identifier: MIT

#if AsyncHTTPClient

import HTTPTypes
import HTTPWire
import NIOCore
import NIOHTTP1
import RestEssentials

extension RawResponse {
    /// The error for a response with an impossible status.
    static var withoutStatus: RestClientError {
        RestClientError(.malformedResponse, "the response has no valid status")
    }

    /// Creates a response from the wire.
    ///
    /// - Parameters:
    ///   - head: The head, with the lines that ``StatusGuard`` has added.
    ///   - body: The body.
    ///   - clock: The instants of the exchange.
    /// - Throws: ``RestClientError`` if its status is invalid.
    init(_ head: HTTPResponseHead, body: Data, _ clock: WireClock) throws(RestClientError) {
        guard (100..<1_000).contains(head.status.code) else {
            throw Self.withoutStatus
        }
        var lines: [ResponseHead.Line] = head.headers.map { ($0.name, $0.value) }
        // The last line was added last.
        let connected = ConnectionBirth.take(from: &lines)
        let interim = InterimLines.take(from: &lines)
        var times = clock.times
        times.connected = connected?.uptimeNanoseconds
        self.init(
            Parts(
                status: HTTPResponse.Status(code: Int(head.status.code), reasonPhrase: head.status.reasonPhrase),
                head: .lines(lines),
                body: body,
                httpVersion: HTTPVersion(major: head.version.major, minor: head.version.minor),
                interimResponses: interim,
                timings: ExchangeTimings(times)
            )
        )
    }
}

#endif
