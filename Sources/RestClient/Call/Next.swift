// SPDX-License-Identifier: MIT

/// The stages that follow an interceptor.
public struct Next: Sendable {
    /// The stages of the call; the one at the index is next.
    let list: StageList
    let index: Int

    /// Sends a request through the following stages; each call sends the request again.
    ///
    /// - Parameter request: The request, changed or not.
    /// - Returns: The response.
    /// - Throws: An error of the following stages; `CancellationError` when the task is cancelled.
    @inline(__always)
    public func callAsFunction(_ request: OutgoingRequest) async throws -> RawResponse {
        // Inlined: each function between two stages would cost the call's task memory and time.
        guard index < list.stages.count else {
            throw RestClientError(.transportFailed, "the pipeline ends without a transport")
        }
        return try await list.stages[index].intercept(request, next: Next(list: list, index: index + 1))
    }
}

/// Stages in their order, kept by reference.
final class StageList: Sendable {
    let stages: [any Interceptor]

    init(_ stages: [any Interceptor]) {
        self.stages = stages
    }

    @inline(__always)
    func send(_ request: OutgoingRequest) async throws -> RawResponse {
        try await Next(list: self, index: 0)(request)
    }
}
