// SPDX-License-Identifier: MIT

/// The last of the stages that a call passes once: it is created for one call, and knows the type of its model.
protocol CallEnd: Sendable {
    /// Responds to a request that passed all call stages.
    func respond(to request: OutgoingRequest) async throws -> RawResponse
}
