// SPDX-License-Identifier: MIT

import RestEssentials

struct ResolvedDogma: BodyReader {
    let dogma: any Dogma
    let request: DogmaRequest

    func decode<Body: Decodable>(_ type: Body.Type, from response: RawResponse) throws -> Body {
        try dogma.decode(type, from: response, for: request)
    }

    func encode(_ model: some Encodable) throws(RestClientError) -> EncodedBody {
        do {
            return try dogma.encode(model, for: request)
        } catch {
            throw failure(error, model, "the request's body")
        }
    }

    /// Encodes a model as the body of a response that decodes to it; `Data` is used unchanged, as in
    /// ``ResponseDecoding``.
    func encodeResponse(_ model: some Encodable) throws(RestClientError) -> EncodedBody {
        if let bytes = model as? Data {
            return EncodedBody(bytes, contentType: "application/octet-stream")
        }
        do {
            return try dogma.encodeResponse(model, for: request)
        } catch {
            throw failure(error, model, "the body of a response")
        }
    }

    private func failure(_ error: any Error, _ model: some Encodable, _ purpose: String) -> RestClientError {
        RestClientError(
            .encodingFailed,
            "the \(Swift.type(of: dogma)) cannot encode \(Swift.type(of: model)) as \(purpose)",
            underlying: error
        )
    }

    /// Returns the members of a model as items of a query, in the order of their names.
    func queryItems(of model: some Encodable) throws(RestClientError) -> [(name: String, value: JSONValue)] {
        let json = dogma as? JSONDogma ?? (dogma as? FormDogma)?.json ?? JSONDogma()
        let value: JSONValue
        do {
            value = try json.written(model, for: request)
        } catch {
            throw RestClientError(
                .encodingFailed,
                "\(Swift.type(of: model)) cannot be encoded as a query",
                underlying: error
            )
        }
        guard case .object(let members) = value else {
            throw RestClientError(
                .encodingFailed,
                "a query needs named items, and \(Swift.type(of: model)) encodes to something else; "
                    + "use .query(_:_:) with a name"
            )
        }
        return members.inOrder.map { ($0.key, $0.value) }
    }
}
