// SPDX-License-Identifier: MIT

import Synchronization

/// Decides how long a body may become when it is decompressed: pure, but for the meter of a stream.
enum DecompressionRule {
    /// Shorter bodies do no harm, and a few zeros compress better than any text.
    static let harmlessCount = 64 << 10

    /// Returns how many bytes a body of a length on the wire may have.
    static func limit(_ factor: Int, wireCount: Int) -> Int {
        let (product, overflows) = max(1, factor).multipliedReportingOverflow(by: max(0, wireCount))
        return overflows ? .max : max(product, harmlessCount)
    }

    /// Returns the error of a body that becomes longer.
    static func error(_ factor: Int?) -> RestClientError {
        RestClientError(
            .responseTooLarge,
            "the body of the response is more than \(factor ?? 0) times as long as on the wire; "
                + "allow more with .decompressionLimit(_:)"
        )
    }

    /// Compares the bytes of a stream before and after its decompression.
    final class Meter: Sendable {
        private let factor: Int
        private let counts = Mutex((received: 0, produced: 0))

        init(_ factor: Int) {
            self.factor = factor
        }

        /// Counts bytes from the wire.
        func receive(_ count: Int) throws(RestClientError) {
            counts.withLock { $0.received += count }
        }

        /// Counts bytes for the reader.
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
