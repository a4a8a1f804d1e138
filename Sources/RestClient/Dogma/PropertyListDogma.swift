// SPDX-License-Identifier: MIT

import RestEssentials

/// A dogma for property lists: XML or binary in requests, any format in responses.
///
/// A property list has a type for dates, and its keys are those of the model:
/// ``CallConfigurable/coding(keys:dates:)`` has no effect.
/// ``RestClientManager/lint()`` reports a manager, a server or an API that sets one of them for this dogma.
public struct PropertyListDogma: Dogma {
    private let isBinary: Bool

    /// Creates a property list dogma.
    ///
    /// - Parameter isBinary: True if requests are binary property lists; they are XML by default.
    public init(isBinary: Bool = false) {
        self.isBinary = isBinary
    }

    /// The media type of property lists.
    public var acceptedContentType: String? { "application/x-plist" }

    /// Encodes a model as a property list.
    public func encode(_ model: some Encodable, for request: DogmaRequest) throws -> EncodedBody {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = isBinary ? .binary : .xml
        return EncodedBody(try encoder.encode(model), contentType: "application/x-plist")
    }

    /// Decodes a model from a property list of any format.
    public func decode<Model: Decodable>(
        _ type: Model.Type,
        from response: RawResponse,
        for request: DogmaRequest
    ) throws -> Model {
        try PropertyListDecoder().decode(type, from: response.body)
    }
}
