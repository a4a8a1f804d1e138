// SPDX-License-Identifier: MIT

import JSONCoding
public import RestEssentials

/// JSON through `Codable` (RFC 8259); the default dogma.
///
/// ```swift
/// manager.dogmas["snake"] = JSONDogma(
///     configureEncoder: { $0.keyEncodingStrategy = .convertToSnakeCase },
///     configureDecoder: { $0.keyDecodingStrategy = .convertFromSnakeCase }
/// )
/// ```
///
/// Dates are ISO 8601 in both directions unless the configuration sets another format. Encoded members are sorted by
/// name, so equal models have equal bytes.
///
/// The strategies of a call (``CallConfigurable/coding(keys:dates:)``) take precedence over the
/// configuration.
public struct JSONDogma: Dogma {
    private let configureEncoder: (@Sendable (JSONEncoder) -> Void)?
    private let configureDecoder: (@Sendable (JSONDecoder) -> Void)?

    /// Creates a JSON dogma.
    ///
    /// - Parameters:
    ///   - configureEncoder: Configures each encoder before its use; called from any task.
    ///   - configureDecoder: Configures each decoder before its use; called from any task.
    public init(
        configureEncoder: (@Sendable (JSONEncoder) -> Void)? = nil,
        configureDecoder: (@Sendable (JSONDecoder) -> Void)? = nil
    ) {
        self.configureEncoder = configureEncoder
        self.configureDecoder = configureDecoder
    }

    /// The media type of JSON.
    public var acceptedContentType: String? { "application/json" }

    /// Encodes a model as JSON.
    public func encode(_ model: some Encodable, for request: DogmaRequest) throws -> EncodedBody {
        EncodedBody(try data(of: model, for: request), contentType: "application/json")
    }

    /// Decodes a model from JSON.
    public func decode<Model: Decodable>(
        _ type: Model.Type,
        from response: RawResponse,
        for request: DogmaRequest
    ) throws -> Model {
        do {
            return try decode(type, from: response.body, for: request)
        } catch {
            // JSON is UTF-8, whatever a server calls it (RFC 8259, section 8.1), unless it cannot be.
            guard let text = TextEncoding.unicode(response.body, contentType: response.headers[.contentType]) else {
                throw error
            }
            return try decode(type, from: text, for: request)
        }
    }

    private func decode<Model: Decodable>(
        _ type: Model.Type,
        from body: Data,
        for request: DogmaRequest
    ) throws -> Model {
        if configureDecoder == nil, !request.hasStrategy, let direct = Self.directDecoder {
            return try direct.decode(type, from: body)
        }
        let decoder = Self.makeDecoder()
        configureDecoder?(decoder)
        request.keyStrategy?.configure(decoder)
        request.dateStrategy?.configure(decoder)
        // Foundation's coder holds the configuration; the direct one is used if it supports that, because it is several
        // times as fast.
        if let direct = Self.direct(decoder) {
            return try direct.decode(type, from: body)
        }
        try MarkRun.checkKeys(ofJSON: body, checksValues: true)
        return try decoder.decode(type, from: body)
    }

    /// Returns a model as a value whose numbers have the texts of its JSON.
    func written(_ model: some Encodable, for request: DogmaRequest) throws -> JSONValue {
        try model as? JSONValue ?? JSONText.valueAsWritten(try encode(model, for: request).bytes)
    }

    // MARK: - Coders

    /// The coders that replace Foundation's when those are not configured.
    private static let directDecoder = direct(makeDecoder())
    private static let directEncoder = direct(makeEncoder())

    private func data(of model: some Encodable, for request: DogmaRequest) throws -> Data {
        if configureEncoder == nil, !request.hasStrategy, let direct = Self.directEncoder {
            return try direct.encode(model)
        }
        let encoder = Self.makeEncoder()
        configureEncoder?(encoder)
        request.keyStrategy?.configure(encoder)
        request.dateStrategy?.configure(encoder)
        if let direct = Self.direct(encoder) {
            return try direct.encode(model)
        }
        return try encoder.encode(model)
    }

    private static func makeDecoder() -> JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return decoder
    }

    private static func makeEncoder() -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }

    /// Returns a decoder with the same results and errors, if one supports the configuration.
    ///
    /// Its equality with FoundationEssentials is tested, and it is used only there.
    private static func direct(_ decoder: JSONDecoder) -> DirectJSONDecoder? {
        #if canImport(FoundationEssentials)
        DirectJSONDecoder(standingInFor: decoder)
        #else
        nil
        #endif
    }

    private static func direct(_ encoder: JSONEncoder) -> DirectJSONEncoder? {
        #if canImport(FoundationEssentials)
        DirectJSONEncoder(standingInFor: encoder)
        #else
        nil
        #endif
    }
}
