// SPDX-License-Identifier: MIT

#if AsyncHTTPClient

import HTTPTypes
import HTTPWire
import NIOCore
import NIOHTTP1
import RestEssentials

extension RawResponse {
    static var withoutStatus: RestClientError {
        RestClientError(.malformedResponse, "the response has no valid status")
    }

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
