// SPDX-License-Identifier: MIT

import HTTPTypes
import HTTPWire

extension RawResponse {
    /// Limits for the interim responses that are passed on, and for the bytes of each.
    private static let interimLimits = (count: 16, bytes: 8_192)

    /// Creates a response that came over a connection of this library's own.
    ///
    /// - Throws: ``RestClientError`` if its body cannot be decompressed.
    init(_ response: WireResponse, limit: Int, decompressionLimit: Int?) throws(RestClientError) {
        self.init(status: response.head.httpStatus, head: .bytes(response.head), body: response.body)
        if response.hasContentCoding {
            let codings = headers[values: .contentEncoding]
            body = try DecompressionRule.decode(response.body, codings, limit: limit, factor: decompressionLimit)
        }
        httpVersion = HTTPVersion(major: 1, minor: response.head.minorVersion)
        timings = ExchangeTimings(response.times)
        if !response.interim.isEmpty {
            interimResponses = response.interim.filter { $0.bytes.count <= Self.interimLimits.bytes }
                .prefix(Self.interimLimits.count)
                .map { InterimResponse(status: $0.httpStatus, headers: ResponseHead.bytes($0).fields) }
        }
    }
}

extension HeadBytes {
    fileprivate var httpStatus: HTTPResponse.Status { HTTPResponse.Status(code: status, reasonPhrase: reason) }
}

extension ExchangeTimings {
    fileprivate init(_ times: WireTimes) {
        self.init(
            began: times.began,
            connected: times.connected,
            headSent: times.headSent,
            requestSent: times.requestSent,
            headReceived: times.headReceived,
            ended: times.ended
        )
    }
}
