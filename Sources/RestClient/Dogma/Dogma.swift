// SPDX-License-Identifier: MIT

/// Encodes request models and decodes responses; registered under an alias.
///
/// Write a dogma for each format that your servers use, and register it:
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
/// All methods may be called from any task, and concurrently. Errors that they throw reach the caller as the underlying
/// error of ``RestClientError/Code-swift.struct/encodingFailed`` or
/// ``RestClientError/Code-swift.struct/decodingFailed``. A response is decoded only after its status was accepted;
/// `Void`, `Data` and the empty or blank body of an optional model never reach a dogma.
public protocol Dogma: Sendable {
    /// The value of the `Accept` field of calls whose model the dogma decodes; `nil` sends none.
    var acceptedContentType: String? { get }

    /// Encodes a request model as a body.
    ///
    /// - Parameters:
    ///   - model: The model; a dictionary given to a request arrives as a ``JSONValue``.
    ///   - request: The call to encode for.
    /// - Returns: The bytes and their media type.
    /// - Throws: The reason why the model cannot be encoded.
    func encode(_ model: some Encodable, for request: DogmaRequest) throws -> EncodedBody

    /// Encodes a model as the body of a response that ``decode(_:from:for:)`` understands, to store it in place of a
    /// server's response.
    ///
    /// By default it is encoded like a request model. Implement it if requests and responses have different formats.
    ///
    /// - Parameters:
    ///   - model: The model.
    ///   - request: The call whose response it represents.
    /// - Returns: The bytes and their media type.
    /// - Throws: The reason why the model cannot be encoded.
    func encodeResponse(_ model: some Encodable, for request: DogmaRequest) throws -> EncodedBody

    /// Checks a response whose status was accepted, before it is decoded, even if it has no model or body.
    ///
    /// By default every response is accepted. Implement it if the body or the fields of a response may report a
    /// failure.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - request: The call of the response.
    /// - Throws: The reason for the failure; the call then fails with ``RestClientError/Code-swift.struct/rejected``,
    ///   and nothing is stored.
    func check(_ response: RawResponse, for request: DogmaRequest) throws

    /// Decodes the body of a response.
    ///
    /// - Parameters:
    ///   - type: The type to decode.
    ///   - response: The response, with a body that is not empty.
    ///   - request: The call of the response.
    /// - Returns: The model.
    /// - Throws: The reason why the body cannot be decoded.
    func decode<Model: Decodable>(
        _ type: Model.Type,
        from response: RawResponse,
        for request: DogmaRequest
    ) throws -> Model
}

extension Dogma {
    /// Accepts every response.
    public func check(_ response: RawResponse, for request: DogmaRequest) throws {}

    /// Encodes the model like a request model.
    public func encodeResponse(_ model: some Encodable, for request: DogmaRequest) throws -> EncodedBody {
        try encode(model, for: request)
    }
}
