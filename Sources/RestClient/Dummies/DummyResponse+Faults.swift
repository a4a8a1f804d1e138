// SPDX-License-Identifier: MIT

// Each fault ends a call like a server with that fault, whether the dummy replaces the transport or responds through a
// `LoopbackServer` of RestClientTesting.

extension DummyResponse {
    package enum Fault: Sendable, Hashable {
        case connectionReset
        case malformed
        case noResponse
        /// The connection is closed after this number of bytes of the body; after half of them if `nil`.
        case truncated(after: Int?)

        /// Returns the number of bytes that are sent before a body is truncated: always fewer than it has.
        package static func cut(after count: Int?, of length: Int) -> Int {
            max(0, min(count ?? length / 2, length - 1))
        }
    }

    package struct Chunks: Sendable, Hashable {
        /// The sizes of the chunks; the last one applies to all following chunks.
        private let sizes: [Int]
        package let interval: Duration

        init(sizes: [Int], interval: Duration) {
            self.sizes = sizes.map { max(1, $0) }
            self.interval = max(.zero, interval)
        }

        /// Returns the offsets at which the chunks of a body end; the last one is its length.
        package func ends(in length: Int) -> [Int] {
            var ends: [Int] = []
            var end = 0
            while end < length {
                end = min(length, end + (ends.count < sizes.count ? sizes[ends.count] : sizes.last ?? length))
                ends.append(end)
            }
            return ends
        }
    }

    /// Resets the connection before the response.
    ///
    /// The call fails with ``RestClientError/Code-swift.struct/connectionClosed``.
    public static var connectionReset: DummyResponse {
        fault(.connectionReset)
    }

    /// Sends a response that is not HTTP.
    ///
    /// The call fails with ``RestClientError/Code-swift.struct/malformedResponse``.
    public static var malformed: DummyResponse {
        fault(.malformed)
    }

    /// Never responds.
    ///
    /// The call fails with ``RestClientError/Code-swift.struct/timeout`` at its deadline. Without one it waits until it
    /// is cancelled.
    public static var noResponse: DummyResponse {
        fault(.noResponse)
    }

    /// Cuts the response off within its body.
    ///
    /// The call fails with ``RestClientError/Code-swift.struct/connectionClosed``.
    ///
    /// - Parameter count: The number of bytes of the body that are sent; half of them by default, and never all.
    /// - Returns: A changed copy.
    public consuming func truncated(after count: Int? = nil) -> DummyResponse {
        fault = .truncated(after: count)
        return self
    }

    /// Sends the body in chunks, with a pause before each.
    ///
    /// - Parameters:
    ///   - size: The number of bytes in a chunk; at least one.
    ///   - interval: The pause.
    /// - Returns: A changed copy.
    public consuming func slowly(pieces size: Int, every interval: Duration) -> DummyResponse {
        chunks = Chunks(sizes: [size], interval: interval)
        return self
    }

    private static func fault(_ fault: Fault) -> DummyResponse {
        var response = DummyResponse()
        response.fault = fault
        return response
    }
}
