// SPDX-License-Identifier: MIT

/// The stages that follow an interceptor.
public struct Next: Sendable {
    /// The stages of the call; the one at the index is next.
    let list: StageList
    let index: Int

    /// Handles the request after the last stage.
    let end: (any CallEnd)?

    /// Sends a request through the following stages; each call sends the request again.
    ///
    /// - Parameter request: The request, changed or not.
    /// - Returns: The response.
    /// - Throws: An error of the following stages; `CancellationError` when the task is cancelled.
    @inline(__always)
    public func callAsFunction(_ request: OutgoingRequest) async throws -> RawResponse {
        // Inlined: each function between two stages would cost the call's task memory and time.
        if index < list.stages.count {
            let next = Next(list: list, index: index + 1, end: end)
            return try await list.stages[index].intercept(request, next: next)
        }
        guard let end else {
            throw RestClientError(.transportFailed, "the pipeline ends without a transport")
        }
        return try await end.respond(to: request)
    }
}
