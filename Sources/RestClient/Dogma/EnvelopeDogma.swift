// SPDX-License-Identifier: MIT

public import RestEssentials

/// A dogma for responses in an envelope, as in `{"code": 0, "message": "ok", "data": …}`.
///
/// The model is the content of the envelope. An envelope whose code does not mean success fails the call, regardless of
/// its model and its status, with ``RestClientError/Code-swift.struct/rejected`` and an ``EnvelopeError``; nothing is
/// stored in that case. Requests are sent without an envelope.
///
/// ```swift
/// manager.dogmas["shop"] = EnvelopeDogma(code: "errcode", message: "errmsg", data: "result")
/// manager.servers[.shop] = Server("https://shop.example.com").dogma("shop")
/// ```
public struct EnvelopeDogma: Dogma {
    private let dogma: any Dogma
    private let members: EnvelopeMembers
    private let successCodes: Set<String>

    /// Creates an envelope dogma.
    ///
    /// - Parameters:
    ///   - dogma: Encodes requests and decodes responses; JSON by default. Its key conversion also applies to the
    ///     members of the envelope.
    ///   - code: The member with the code: a number, a text or a Boolean.
    ///   - message: The member with the message.
    ///   - data: The member with the model.
    ///   - successCodes: The codes that mean success, as text; 0 by default. A response without a code is a success.
    public init(
        _ dogma: any Dogma = JSONDogma(),
        code: String = "code",
        message: String = "message",
        data: String = "data",
        successCodes: Set<String> = ["0"]
    ) {
        self.dogma = dogma
        members = EnvelopeMembers(code: code, message: message, data: data)
        self.successCodes = successCodes
    }

    /// The media type that the inner dogma accepts.
    public var acceptedContentType: String? { dogma.acceptedContentType }

    /// Encodes a model with the inner dogma, without an envelope.
    public func encode(_ model: some Encodable, for request: DogmaRequest) throws -> EncodedBody {
        try dogma.encode(model, for: request)
    }

    /// Encodes a model in an envelope with a success code.
    public func encodeResponse(_ model: some Encodable, for request: DogmaRequest) throws -> EncodedBody {
        let content = EnvelopeContent(members: members, code: successCodes.sorted().first, model: model)
        return try dogma.encodeResponse(content, for: request)
    }

    /// Throws an ``EnvelopeError`` if the code of the envelope does not mean success.
    public func check(_ response: RawResponse, for request: DogmaRequest) throws {
        guard !JSONText.isBlank(response.body) else {
            return
        }
        let head = try EnvelopeMembers.$current.withValue(members) {
            try dogma.decode(EnvelopeHead.self, from: response, for: request)
        }
        guard let code = head.code, !successCodes.contains(foreign: code) else {
            return
        }
        throw EnvelopeError(code: code, message: head.message)
    }

    /// Decodes the model in the envelope.
    public func decode<Model: Decodable>(
        _ type: Model.Type,
        from response: RawResponse,
        for request: DogmaRequest
    ) throws -> Model {
        try EnvelopeMembers.$current.withValue(members) {
            try dogma.decode(Envelope<Model>.self, from: response, for: request).model
        }
    }
}

// MARK: - The envelope

private struct EnvelopeMembers: Sendable {
    let code: String
    let message: String
    let data: String

    /// The member names of the envelope that is being decoded; a `Decodable` type can receive them in no other way.
    @TaskLocal static var current = EnvelopeMembers(code: "code", message: "message", data: "data")
}

private struct EnvelopeKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) {
        self.stringValue = stringValue
    }

    init?(intValue: Int) {
        return nil
    }
}

private struct EnvelopeHead: Decodable {
    let code: String?
    let message: String?

    init(from decoder: any Decoder) throws {
        let members = EnvelopeMembers.current
        let container = try decoder.container(keyedBy: EnvelopeKey.self)
        code = try Self.text(container, EnvelopeKey(stringValue: members.code))
        message = try? Self.text(container, EnvelopeKey(stringValue: members.message))
    }

    private static func text(_ container: KeyedDecodingContainer<EnvelopeKey>, _ key: EnvelopeKey) throws -> String? {
        guard container.contains(key), try !container.decodeNil(forKey: key) else {
            return nil
        }
        if let text = try? container.decode(String.self, forKey: key) {
            return text
        }
        if let number = try? container.decode(Int64.self, forKey: key) {
            return String(number)
        }
        return String(try container.decode(Bool.self, forKey: key))
    }
}

private struct Envelope<Model: Decodable>: Decodable {
    let model: Model

    init(from decoder: any Decoder) throws {
        let key = EnvelopeKey(stringValue: EnvelopeMembers.current.data)
        let container = try decoder.container(keyedBy: EnvelopeKey.self)
        // The model may itself be decoded by another dogma, to which these names must not apply.
        if !container.contains(key), let optional = Model.self as? any ExpressibleByNilLiteral.Type,
            let empty = optional.init(nilLiteral: ()) as? Model
        {
            model = empty
        } else {
            model = try container.decode(Model.self, forKey: key)
        }
    }
}

private struct EnvelopeContent<Model: Encodable>: Encodable {
    let members: EnvelopeMembers
    let code: String?
    let model: Model

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: EnvelopeKey.self)
        let key = EnvelopeKey(stringValue: members.code)
        if let number = code.flatMap(Int64.init) {
            try container.encode(number, forKey: key)
        } else {
            try container.encodeIfPresent(code, forKey: key)
        }
        try container.encode(model, forKey: EnvelopeKey(stringValue: members.data))
    }
}

/// The failure that the envelope of a response reports.
public struct EnvelopeError: Error, Sendable, Hashable, MirroredByDescription {
    /// The code, as text.
    public let code: String

    /// The message, if there is one.
    public let message: String?

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The code, as text.
    ///   - message: The message.
    public init(code: String, message: String?) {
        self.code = code
        self.message = message
    }

    /// The code and the message.
    public var description: String {
        let text = "the server responded with code \(Redaction.text(code))"
        return MessageText.of(text + (message.map { ": \(Redaction.text($0))" } ?? ""))
    }
}

extension EnvelopeError: LocalizedError {
    /// The ``message``, or else the description, which `localizedDescription` returns.
    public var errorDescription: String? { message.map { MessageText.of(Redaction.text($0)) } ?? description }
}
