// SPDX-License-Identifier: MIT

public import HTTPTypes
public import RestEssentials

/// A request in a dummy's view: as it would have been sent.
public struct DummyRequest: Sendable {
    /// The HTTP method.
    public let method: HTTPRequest.Method

    /// The absolute URL.
    public let url: String

    /// The header fields.
    public let headers: HTTPFields

    /// The body, before a content coding; `nil` if there is none.
    ///
    /// A file, a form or a stream is read to its end, as if it were sent. A body of more than 64 MiB is not kept: this
    /// property is then also `nil`.
    public let body: Data?

    /// The values of the path's placeholders, decoded.
    public internal(set) var parameters: [String: String] = [:]

    /// The items of the query, decoded, in order.
    public let query: [(name: String, value: String)]

    /// The alias of the API that the call names, if any.
    public let api: String?

    var coding: ResolvedDogma?

    var secretFields: Set<HTTPField.Name> = []

    package init(method: HTTPRequest.Method, url: String, headers: HTTPFields, body: Data?, api: String?) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.query = QueryItems.decode(HTTPURL.query(of: url) ?? "")
        self.api = api
    }

    /// Reads the body as a form of fields and files; files become bytes.
    ///
    /// ```swift
    /// manager.dummies.register(.post, "/photos") { request in
    ///     .text(try request.form().parts.map(\.name).joined(separator: " "))
    /// }
    /// ```
    ///
    /// - Returns: The form.
    /// - Throws: ``RestClientError`` with the code ``RestClientError/Code-swift.struct/invalidMultipart``.
    public func form() throws(RestClientError) -> MultipartForm {
        try MultipartForm(body ?? Data(), contentType: headers[.contentType] ?? "")
    }

    /// Decodes the body by the call's dogma, or as JSON with ISO 8601 dates if the call has none.
    ///
    /// - Parameter type: The type to decode.
    /// - Returns: The model.
    /// - Throws: The dogma's error, such as a `DecodingError`.
    public func model<Model: Decodable>(_ type: Model.Type) throws -> Model {
        try dogma.decode(type, from: RawResponse(headers: headers, body: body ?? Data()), for: call)
    }
}

// MARK: - Coding

extension DummyRequest {
    /// Encodes a model by the call's dogma, as its server would.
    package func encoded(_ model: some Encodable) throws -> EncodedBody {
        try dogma.encodeResponse(model, for: call)
    }

    /// Decodes what a call sent besides its body by the call's dogma, or as JSON if the call has none.
    package func decoded<Model: Decodable>(_ type: Model.Type, from body: EncodedBody) throws -> Model {
        var response = RawResponse(body: body.bytes)
        response.headers[.contentType] = body.contentType
        return try dogma.decode(type, from: response, for: call)
    }

    private var dogma: any Dogma { coding?.dogma ?? JSONDogma() }

    private var call: DogmaRequest {
        let call =
            coding?.request
            ?? DogmaRequest(method: .get, api: nil, server: nil, template: "", keyStrategy: nil, dateStrategy: nil)
        return call.with(url: url, headers: headers, body: body, secretFields: secretFields)
    }

    /// Returns a response with a text as it is, or encoded by the call's dogma if that rejects plain text.
    func response(withText text: String) throws -> DummyResponse {
        let plain = DummyResponse.text(text)
        do {
            try dogma.check(RawResponse(headers: plain.headers, body: plain.body), for: call)
            return plain
        } catch {
            return try response(with: text)
        }
    }

    func response(with model: some Encodable) throws -> DummyResponse {
        let body = try dogma.encodeResponse(model, for: call)
        var response = DummyResponse(body: body.bytes)
        response.headers[.contentType] = body.contentType
        return response
    }
}

extension DummyRequest: MirroredByDescription {
    /// The method, the URL and the header fields, with secrets masked.
    public var description: String {
        Redaction.request(method, url, headers.masking(secretFields), body: body.map { "\($0.count) bytes" })
    }
}
