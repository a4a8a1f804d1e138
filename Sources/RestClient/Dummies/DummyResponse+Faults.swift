// SPDX-License-Identifier: MIT

// Each fault ends a call as a server with that fault does, whether the dummy answers in the socket's place or on a
// `LoopbackServer` of RestClientTesting.

extension DummyResponse {
    /// The connection is reset before anything is answered.
    ///
    /// The call fails with ``RestClientError/Code-swift.struct/connectionClosed``.
    public static var connectionReset: DummyResponse {
        fault(.connectionReset)
    }

    /// What comes is no HTTP.
    ///
    /// The call fails with ``RestClientError/Code-swift.struct/malformedResponse``.
    public static var malformed: DummyResponse {
        fault(.malformed)
    }

    /// Nothing ever comes.
    ///
    /// The call fails with ``RestClientError/Code-swift.struct/timeout`` at its deadline; without one it waits until it is
    /// cancelled.
    public static var noAnswer: DummyResponse {
        fault(.noAnswer)
    }

    /// The same response, cut off within its body.
    ///
    /// The call fails with ``RestClientError/Code-swift.struct/connectionClosed``.
    ///
    /// - Parameter count: How many bytes of the body come; half of them by default, and never all.
    /// - Returns: A changed copy.
    public func truncated(after count: Int? = nil) -> DummyResponse {
        var response = self
        response.fault = .truncated(after: count)
        return response
    }

    /// The same response with its body in pieces, each a while after the one before.
    ///
    /// - Parameters:
    ///   - size: How many bytes a piece has; at least one.
    ///   - interval: How long each piece takes.
    /// - Returns: A changed copy.
    public func slowly(pieces size: Int, every interval: Duration) -> DummyResponse {
        var response = self
        response.pace = DummyPace(size: size, interval: interval)
        return response
    }

    private static func fault(_ fault: DummyFault) -> DummyResponse {
        var response = DummyResponse()
        response.fault = fault
        return response
    }
}
