// SPDX-License-Identifier: MIT

/// A request ready for the pipeline, with the information for decoding its response.
struct ResolvedRequest: Sendable {
    let request: OutgoingRequest
    let coding: ResolvedDogma
    /// True if an equal node was sent before, so that its stored response may be memoized.
    var isKnown = false

    /// Returns the decoder for responses to the request.
    func decoder<Model>(_ decoding: ResponseDecoding<Model>) -> ModelDecoder<Model> {
        ModelDecoder(
            decoding: decoding,
            dogma: coding.dogma,
            request: coding.request.with(url: request.url, headers: request.headers, body: request.body?.bytes),
            acceptedStatuses: request.call.policy.acceptedStatuses
        )
    }
}
