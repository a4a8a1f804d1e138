// SPDX-License-Identifier: MIT

import RestClient

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Where the tokens of a server come from.
struct BearerRegistration: Decodable {
    static let members = Members(["url", "method", "headers", "body", "field", "expiresField"])

    let url: String
    let method: String?
    let headers: [[String]]?
    /// The body of the request for a token, which is a GET without one.
    let body: String?
    let field: String?
    let expiresField: String?

    /// A source that asks the server for each token.
    func source(for manager: RestClientManager) -> TokenSource {
        TokenSource { [weak manager, self] _ in
            guard let manager else {
                throw CancellationError()
            }
            return try token(in: try await request(of: manager).send())
        }
    }

    private func request(of manager: RestClientManager) throws -> RequestNode<Data> {
        let text = method ?? (body == nil ? "GET" : "POST")
        var node = manager.request().url(url).method(try WireRequest.method(text)).dogma(.raw).cache(.networkOnly)
        let headers = try HeaderPair.all(headers)
        for (name, value) in headers {
            node = node.header(name, value, adding: true)
        }
        guard let body else {
            return node
        }
        let bytes = Data(body.utf8)
        let isJSON = (try? JSONDecoder().decode(JSONValue.self, from: bytes)) != nil
        let contentType = isJSON ? "application/json" : "application/x-www-form-urlencoded"
        return node.body(bytes, contentType: headers.contains { $0.name == .contentType } ? nil : contentType)
    }

    private func token(in body: Data) throws -> AccessToken {
        let response = try JSONDecoder().decode(JSONValue.self, from: body)
        let field = field ?? "access_token"
        guard let value = response[path: field]?.stringValue else {
            throw WireError(text: "the response of the token server has no text in '\(field)'")
        }
        let lifetime = response[path: expiresField ?? "expires_in"]
        guard let seconds = lifetime?.doubleValue ?? lifetime?.stringValue.flatMap(Double.init) else {
            return AccessToken(value)
        }
        return AccessToken(value, expiresIn: .seconds(seconds))
    }
}

extension JSONValue {
    /// The member behind names that are separated by dots; the value itself for an empty text.
    subscript(path path: String) -> JSONValue? {
        var value: JSONValue? = self
        for name in path.split(separator: ".") {
            value = value?[String(name)] ?? Int(name).flatMap { value?[$0] }
        }
        return value
    }
}
