// SPDX-License-Identifier: MIT

public import HTTPTypes
public import RestEssentials

/// A request as a dummy sees it: what would have gone over the wire.
public struct DummyRequest: Sendable {
    /// The HTTP method.
    public let method: HTTPRequest.Method

    /// The absolute URL.
    public let url: String

    /// The header fields.
    public let headers: HTTPFields

    /// The body; `nil` when there is none.
    public let body: Data?

    /// The values that stand in the path in place of the placeholders, decoded.
    public internal(set) var parameters: [String: String]

    /// The items of the query, decoded, in order.
    public let query: [(name: String, value: String)]

    /// The alias of the API operation that the call names, if any.
    public let api: String?

    /// The first item of that name in the query.
    ///
    /// - Parameter name: The name.
    /// - Returns: Its value, decoded; `nil` when there is no such item.
    public func queryValue(_ name: String) -> String? {
        query.first { $0.name == name }?.value
    }

    /// Decodes the body as JSON; dates are read as in ISO 8601, as the JSON dogma writes them.
    ///
    /// - Parameter type: The type to decode.
    /// - Returns: The model.
    /// - Throws: A `DecodingError` when the body does not fit.
    public func model<Model: Decodable>(_ type: Model.Type) throws -> Model {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return try decoder.decode(type, from: body ?? Data())
    }
}

extension DummyRequest {
    /// Takes the query out of the URL.
    init(method: HTTPRequest.Method, url: String, headers: HTTPFields, body: Data?, api: String?) {
        self.init(
            method: method,
            url: url,
            headers: headers,
            body: body,
            parameters: [:],
            query: QueryItems.decode(HTTPURL.query(of: url) ?? ""),
            api: api
        )
    }
}

extension DummyRequest: CustomStringConvertible {
    /// Method, URL and header fields, with secrets masked.
    public var description: String { Redaction.request(method, url, headers, body: body?.count) }
}
