// SPDX-License-Identifier: MIT

import RestEssentials
import SharedStore
import Synchronization

/// Removes the content codings of a body (RFC 9110, section 8.4), and decides how long it may become by that.
enum ContentCoding {
    /// The value of the `Accept-Encoding` field that a transport sends unless the request has its own.
    static let accepted = ContentDecoding.allCases.map(\.rawValue).joined(separator: ", ")

    /// Shorter bodies do no harm, and a few zeros compress better than any text.
    static let harmlessCount = 64 << 10

    static func limit(_ factor: Int, wireCount: Int) -> Int {
        let (product, overflows) = max(1, factor).multipliedReportingOverflow(by: max(0, wireCount))
        return overflows ? .max : max(product, harmlessCount)
    }

    static func error(_ factor: Int?) -> RestClientError {
        RestClientError(
            .responseTooLarge,
            "the body of the response is more than \(factor ?? 0) times as long as on the wire; "
                + "allow more with .limits(decompression:)"
        )
    }

    /// Returns how many bytes a body with a content coding may have on the wire if a number of them is allowed without
    /// it: compression makes short bodies longer.
    static func wireLimit(_ limit: Int) -> Int {
        limit > .max / 2 ? limit : limit + limit / 64 + 4_096
    }

    /// Returns a complete body without its content codings; unknown ones stay, with those below them.
    static func decode(
        _ bytes: Data,
        _ codings: [String],
        status: Int,
        limit: Int,
        factor: Int?
    ) throws(RestClientError) -> Data {
        let plan = try DecodingPlan(codings, status: status, hasBody: !bytes.isEmpty)
        let allowed = factor.map { self.limit($0, wireCount: bytes.count) } ?? .max
        func excess() -> RestClientError {
            allowed < limit ? self.error(factor) : TransportFailure.bodyOverLimit(limit)
        }
        var body = bytes
        for coding in plan.decodings where !body.isEmpty {
            do throws(StoreError) {
                body = try coding.decoder().decode(whole: body, limit: min(limit, allowed))
            } catch {
                throw error.code == .limitExceeded ? excess() : damaged(error)
            }
        }
        guard body.count <= min(limit, allowed) else {
            throw excess()
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

    final class Meter: Sendable {
        private let factor: Int
        private let counts = Mutex((received: 0, produced: 0))

        init(_ factor: Int) {
            self.factor = factor
        }

        func receive(_ count: Int) throws(RestClientError) {
            counts.withLock { $0.received += count }
        }

        func produce(_ count: Int) throws(RestClientError) {
            let isWithin = counts.withLock { counts in
                counts.produced += count
                return counts.produced <= ContentCoding.limit(factor, wireCount: counts.received)
            }
            guard isWithin else {
                throw ContentCoding.error(factor)
            }
        }
    }
}
