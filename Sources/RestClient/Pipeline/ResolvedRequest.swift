// SPDX-License-Identifier: MIT

/// A request ready for the pipeline, with the information for decoding its response.
struct ResolvedRequest: Sendable {
    let settled: SettledRequest
    let call: CallContext

    var coding: ResolvedDogma { settled.coding }

    /// The request, as the first stage receives it.
    var request: OutgoingRequest {
        OutgoingRequest(
            method: settled.method,
            url: settled.url,
            headers: settled.headers,
            body: settled.body,
            call: call
        )
    }

    /// Returns the decoder for responses to the request.
    func decoder<Model>(_ decoding: ResponseDecoding<Model>) -> ModelDecoder<Model> {
        ModelDecoder(decoding: decoding, terms: settled.decoding)
    }
}
