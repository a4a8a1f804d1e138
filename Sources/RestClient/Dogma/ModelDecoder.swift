// SPDX-License-Identifier: MIT

import RestEssentials

struct ModelDecoder<Model: Sendable>: Sendable {
    let decoding: ResponseDecoding<Model>
    let terms: DecodingTerms

    func model(of response: RawResponse) throws -> Model {
        guard terms.acceptedStatuses.contains(response.status) else {
            throw RestClientError.unacceptable(response)
        }
        do {
            try terms.dogma.check(response, for: terms.request)
        } catch {
            throw RestClientError(
                .rejected,
                "the server accepted the request with \(response.status.code), but its response says that it failed: \(error)",
                response: response,
                underlying: error
            )
        }
        do {
            return try decoding.decode(response, terms.dogma, terms.request)
        } catch let error as CancellationError {
            throw error
        } catch {
            let reason =
                JSONText.isBlank(response.body)
                ? "its body is empty; use an optional model, or Void, for responses without a body"
                : DecodingReason.describe(error)
            let body = "\(response.status.code), \(response.body.count) bytes"
            throw RestClientError(
                .decodingFailed,
                "could not decode \(Model.self) from the response (\(body)): \(reason)",
                response: response,
                underlying: error
            )
        }
    }
}

/// The part of a call that the decoding of its responses depends on; equal calls share it.
final class DecodingTerms: Sendable {
    let dogma: any Dogma
    let request: DogmaRequest
    let acceptedStatuses: StatusSet

    init(dogma: any Dogma, request: DogmaRequest, acceptedStatuses: StatusSet) {
        self.dogma = dogma
        self.request = request
        self.acceptedStatuses = acceptedStatuses
    }
}
