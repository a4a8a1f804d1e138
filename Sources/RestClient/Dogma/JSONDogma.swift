// SPDX-License-Identifier: MIT

public import RestEssentials

/// JSON through `Codable` (RFC 8259): what is used when no dogma is named.
///
/// ```swift
/// manager.dogmas["snake"] = JSONDogma(
///     configureEncoder: { $0.keyEncodingStrategy = .convertToSnakeCase },
///     configureDecoder: { $0.keyDecodingStrategy = .convertFromSnakeCase }
/// )
/// ```
///
/// Dates are ISO 8601 in both directions unless the configuration says otherwise. Encoded members are sorted by name,
/// so equal models give equal bytes.
public struct JSONDogma: Dogma {
    private let configureEncoder: (@Sendable (JSONEncoder) -> Void)?
    private let configureDecoder: (@Sendable (JSONDecoder) -> Void)?

    /// Creates a JSON dogma.
    ///
    /// - Parameters:
    ///   - configureEncoder: Sets up each encoder before its use; called from any task.
    ///   - configureDecoder: Sets up each decoder before its use; called from any task.
    public init(
        configureEncoder: (@Sendable (JSONEncoder) -> Void)? = nil,
        configureDecoder: (@Sendable (JSONDecoder) -> Void)? = nil
    ) {
        self.configureEncoder = configureEncoder
        self.configureDecoder = configureDecoder
    }

    /// Asks for JSON.
    public var acceptedContentType: String? { "application/json" }

    /// Encodes a model as JSON.
    public func encode(_ model: some Encodable, for request: DogmaRequest) throws -> EncodedBody {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        configureEncoder?(encoder)
        return EncodedBody(try encoder.encode(model), contentType: "application/json")
    }

    /// Decodes a model from JSON.
    public func decode<Model: Decodable>(
        _ type: Model.Type,
        from response: RawResponse,
        for request: DogmaRequest
    ) throws -> Model {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        configureDecoder?(decoder)
        return try decoder.decode(type, from: response.body)
    }
}
