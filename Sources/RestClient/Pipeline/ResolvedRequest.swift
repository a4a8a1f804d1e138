// SPDX-License-Identifier: MIT

/// A request ready to pass the pipeline, with what is needed to understand its response.
struct ResolvedRequest: Sendable {
    let request: OutgoingRequest
    let coding: ResolvedDogma
    /// True if an equal node was sent before, so that its stored response may be remembered.
    var isKnown = false

    /// Returns what decodes the responses to the request.
    func decoder<Model>(_ decoding: ResponseDecoding<Model>) -> ModelDecoder<Model> {
        ModelDecoder(
            decoding: decoding,
            dogma: coding.dogma,
            request: coding.request,
            acceptedStatuses: request.call.policy.acceptedStatuses
        )
    }
}
