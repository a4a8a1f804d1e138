// SPDX-License-Identifier: MIT

import RestEssentials
import SharedStore

/// Removes the content codings of a body (RFC 9110, section 8.4).
enum ContentCoding {
    /// The value of the `Accept-Encoding` field that a transport sends unless the request has its own.
    static let accepted = ContentDecoding.allCases.map(\.rawValue).joined(separator: ", ")

    static func decode(_ body: Data, _ plan: DecodingPlan, limit: Int) throws(RestClientError) -> Data {
        var body = body
        for coding in plan.decodings where !body.isEmpty {
            do throws(StoreError) {
                body = try coding.decoder().decode(whole: body, limit: limit)
            } catch {
                throw error.code == .limitExceeded ? TransportFailure.bodyOverLimit(limit) : damaged(error)
            }
        }
        guard body.count <= limit else {
            throw TransportFailure.bodyOverLimit(limit)
        }
        return body
    }

    static func damaged(_ error: StoreError) -> RestClientError {
        RestClientError(
            .malformedResponse,
            "the compressed body of the response is damaged or incomplete",
            underlying: error
        )
    }
}
