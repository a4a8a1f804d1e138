// SPDX-License-Identifier: MIT

import RestEssentials

/// A dogma for property lists: XML or binary in requests, any format in responses.
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
