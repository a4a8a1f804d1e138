// SPDX-License-Identifier: MIT

/// Stages in their order, kept by reference.
final class StageList: Sendable {
    let stages: [any Interceptor]

    init(_ stages: [any Interceptor]) {
        self.stages = stages
    }

    /// Sends a request through the stages.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - end: Handles the request after the last stage; `nil` if the last stage does so itself.
    /// - Returns: The response of the first stage.
    /// - Throws: An error of the stages.
    @inline(__always)
    func send(_ request: OutgoingRequest, to end: (any CallEnd)? = nil) async throws -> RawResponse {
        try await Next(list: self, index: 0, end: end)(request)
    }
}
