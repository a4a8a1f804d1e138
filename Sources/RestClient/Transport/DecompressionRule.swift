// SPDX-License-Identifier: MIT

import RestEssentials
import Synchronization

/// Decides how long a body may become when it is decompressed: pure, but for the meter of a stream.
enum DecompressionRule {
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
        guard let allowed = factor.map({ self.limit($0, wireCount: bytes.count) }), allowed < limit else {
            return try ContentCoding.decode(bytes, plan, limit: limit)
        }
        do throws(RestClientError) {
            return try ContentCoding.decode(bytes, plan, limit: allowed)
        } catch {
            throw error.code == .responseTooLarge ? self.error(factor) : error
        }
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
                return counts.produced <= DecompressionRule.limit(factor, wireCount: counts.received)
            }
            guard isWithin else {
                throw DecompressionRule.error(factor)
            }
        }
    }
}
