// SPDX-License-Identifier: MIT

import RestEssentials

/// A dogma for HTML forms (`application/x-www-form-urlencoded`); responses are JSON.
///
/// A model must encode to an object at the top level: its members become the form's fields, in the order of their
/// names.
public struct FormDogma: Dogma {
    private let encoding: QueryEncoding
    let json: JSONDogma

    /// Creates a form dogma.
    ///
    /// - Parameters:
    ///   - encoding: The encoding of lists and Booleans.
    ///   - json: Encodes the members of models, and decodes responses.
    public init(encoding: QueryEncoding = QueryEncoding(), json: JSONDogma = JSONDogma()) {
        self.encoding = encoding
        self.json = json
    }

    /// The media type that the JSON dogma accepts.
    public var acceptedContentType: String? { json.acceptedContentType }

    /// Encodes the members of a model as form fields.
    ///
    /// - Throws: An `EncodingError` if the model is not an object at the top level.
    public func encode(_ model: some Encodable, for request: DogmaRequest) throws -> EncodedBody {
        guard case .object(let members) = try json.written(model, for: request) else {
            let context = EncodingError.Context(
                codingPath: [],
                debugDescription: "a form needs named fields; the model encodes to something else"
            )
            throw EncodingError.invalidValue(model, context)
        }
        let fields = members.inOrder.map { (name: $0.key, value: $0.value) }
        return EncodedBody(
            Data(encoding.encode(fields).utf8),
            contentType: "application/x-www-form-urlencoded"
        )
    }

    /// Encodes a model as JSON.
    public func encodeResponse(_ model: some Encodable, for request: DogmaRequest) throws -> EncodedBody {
        try json.encode(model, for: request)
    }

    /// Decodes a model from JSON.
    public func decode<Model: Decodable>(
        _ type: Model.Type,
        from response: RawResponse,
        for request: DogmaRequest
    ) throws -> Model {
        try json.decode(type, from: response, for: request)
    }
}
