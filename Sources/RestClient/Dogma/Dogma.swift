// SPDX-License-Identifier: MIT

/// Encodes request models and decodes responses; registered under an alias.
///
/// Write a dogma for each format your servers speak, and register it:
///
/// ```swift
/// struct LegacyXMLDogma: Dogma {
///     var acceptedContentType: String? { "application/xml" }
///     func encode(_ model: some Encodable, for request: DogmaRequest) throws -> EncodedBody { … }
///     func decode<Model: Decodable>(_ type: Model.Type, from response: RawResponse, for request: DogmaRequest) throws -> Model { … }
/// }
/// manager.dogmas["legacy"] = LegacyXMLDogma()
/// ```
///
/// Both methods may be called from any task, many at a time. What they throw reaches the caller as the underlying error
/// of ``RestClientError/Code-swift.struct/encodingFailed`` or ``RestClientError/Code-swift.struct/decodingFailed``.
/// A response is decoded only after its status was accepted; `Void`, `Data` and empty bodies never reach a dogma.
public protocol Dogma: Sendable {
    /// The value of the `Accept` field; `nil` sends none.
    var acceptedContentType: String? { get }

    /// Encodes a request model as a body.
    ///
    /// - Parameters:
    ///   - model: The model; a dictionary given to a request arrives as a ``JSONValue``.
    ///   - request: What is being called.
    /// - Returns: The bytes and their media type.
    /// - Throws: Why the model cannot be encoded.
    func encode(_ model: some Encodable, for request: DogmaRequest) throws -> EncodedBody

    /// Encodes a model as the body of a response that ``decode(_:from:for:)`` understands, to store it in the place of
    /// a server's.
    ///
    /// By default it is encoded like a request model. Implement it where requests and responses have different formats.
    ///
    /// - Parameters:
    ///   - model: The model.
    ///   - request: The call whose response it stands for.
    /// - Returns: The bytes and their media type.
    /// - Throws: Why the model cannot be encoded.
    func encodeResponse(_ model: some Encodable, for request: DogmaRequest) throws -> EncodedBody

    /// Checks a response whose status was accepted, before it is decoded; also one without a model or a body.
    ///
    /// By default every response passes. Implement it where responses say in their body or their fields that the
    /// request failed.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - request: What was called.
    /// - Throws: Why the request failed; the call fails with ``RestClientError/Code-swift.struct/rejected`` then, and
    ///   nothing is stored.
    func check(_ response: RawResponse, for request: DogmaRequest) throws

    /// Decodes the body of a response.
    ///
    /// - Parameters:
    ///   - type: The type to decode.
    ///   - response: The response, with a body that is not empty.
    ///   - request: What was called.
    /// - Returns: The model.
    /// - Throws: Why the body cannot be decoded.
    func decode<Model: Decodable>(
        _ type: Model.Type,
        from response: RawResponse,
        for request: DogmaRequest
    ) throws -> Model
}

extension Dogma {
    /// Lets every response pass.
    public func check(_ response: RawResponse, for request: DogmaRequest) throws {}

    /// Encodes the model like a request model.
    public func encodeResponse(_ model: some Encodable, for request: DogmaRequest) throws -> EncodedBody {
        try encode(model, for: request)
    }
}
