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
            throw Self.failure(error, response, Model.self)
        }
    }

    private static func failure(_ error: any Error, _ response: RawResponse, _ model: Any.Type) -> RestClientError {
        let reason =
            JSONText.isBlank(response.body)
            ? "its body is empty; use an optional model, or Void, for responses without a body"
            : DecodingReason.describe(error)
        return RestClientError(
            .decodingFailed,
            "could not decode \(model) from the response (\(response.status.code), \(response.body.count) bytes): \(reason)",
            response: response,
            underlying: error
        )
    }
}
