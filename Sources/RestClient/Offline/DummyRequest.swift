// SPDX-License-Identifier: MIT

public import HTTPTypes

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

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
    public let parameters: [String: String]

    /// The items of the query, decoded, in order.
    public let query: [(name: String, value: String)]

    /// The first item of that name in the query.
    ///
    /// - Parameter name: The name.
    /// - Returns: Its value, decoded; `nil` when there is no such item.
    public func queryValue(_ name: String) -> String? {
        query.first { $0.name == name }?.value
    }

    /// Decodes the body as JSON.
    ///
    /// - Parameter type: The type to decode.
    /// - Returns: The model.
    /// - Throws: A `DecodingError` when the body does not fit.
    public func model<Model: Decodable>(_ type: Model.Type) throws -> Model {
        try JSONDecoder().decode(type, from: body ?? Data())
    }
}
