// SPDX-License-Identifier: MIT

import HTTPTypes
import HTTPWire

extension RawResponse {
    /// Limits for the interim responses that are passed on, and for the bytes of each.
    private static let interimLimits = (count: 16, bytes: 8_192)

    init(_ response: WireResponse, limit: Int, decompressionLimit: Int?) throws(RestClientError) {
        self.init(response)
        if response.hasContentCoding {
            let codings = headers[values: .contentEncoding]
            body = try ContentCoding.decode(
                response.body,
                codings,
                status: status.code,
                limit: limit,
                factor: decompressionLimit
            )
        }
    }

    init(_ response: WireResponse) {
        var parts = Parts(status: response.head.httpStatus, head: .bytes(response.head), body: response.body)
        parts.httpVersion = response.head.isHTTP2 ? .http2 : HTTPVersion(major: 1, minor: response.head.minorVersion)
        parts.timings = ExchangeTimings(response.times)
        parts.hasSurplus = response.hasSurplus
        if !response.interim.isEmpty {
            parts.interimResponses = response.interim.prefix(Self.interimLimits.count)
                .map { head in
                    InterimResponse(
                        status: head.httpStatus,
                        headers: Self.fields(of: head, limit: Self.interimLimits.bytes)
                    )
                }
        }
        self.init(parts)
    }

    private static func fields(of head: HeadBytes, limit: Int) -> HTTPFields {
        var size = 0
        return HTTPFields(
            head.fields.filter { field in
                size += field.name.rawName.utf8.count + field.value.utf8.count
                return size <= limit
            }
        )
    }
}

extension HeadBytes {
    fileprivate var httpStatus: HTTPResponse.Status { HTTPResponse.Status(code: status, reasonPhrase: reason) }
}

extension ExchangeTimings {
    init(_ times: WireTimes) {
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
