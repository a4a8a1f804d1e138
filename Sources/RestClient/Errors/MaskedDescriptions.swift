// SPDX-License-Identifier: MIT

import HTTPTypes

// What would show credentials if Swift described it by its stored properties describes itself, without them.

extension RequestNode: CustomStringConvertible {
    /// Method and target as far as the node says them, without header fields and body.
    public var description: String { RequestSummary(of: specification).description }
}

extension OutgoingRequest: CustomStringConvertible {
    /// Method, URL and header fields, with secrets masked.
    public var description: String { Redaction.request(method, url, headersWithoutToken, body: body?.count) }

    /// The header fields with the token of a source masked, whatever the name of its field.
    var headersWithoutToken: HTTPFields {
        var headers = headers
        if let field = call.policy.authentication?.field, headers.contains(field) {
            headers[field] = Redaction.mask
        }
        return headers
    }
}

extension TransportRequest: CustomStringConvertible {
    /// Method, URL and header fields, with secrets masked.
    public var description: String { Redaction.request(method, url, headers, body: body?.count) }
}

extension DummyRequest: CustomStringConvertible {
    /// Method, URL and header fields, with secrets masked.
    public var description: String { Redaction.request(method, url, headers, body: body?.count) }
}

extension RawResponse: CustomStringConvertible {
    /// Status, header fields and the length of the body, with secrets masked.
    public var description: String { Redaction.response(status, headers, body: body.count) }
}

extension DummyResponse: CustomStringConvertible {
    /// Status, header fields and the length of the body, with secrets masked.
    public var description: String { Redaction.response(status, headers, body: body.count) }
}

extension Response: CustomStringConvertible {
    /// The response before decoding, with secrets masked; the model is not shown.
    public var description: String { raw.description }
}

extension API: CustomStringConvertible {
    /// Method and path, as in `GET /users/{user}`.
    public var description: String { "\(method.rawValue) \(Redaction.url(path.source))" }
}

extension AutomaticHeader: CustomStringConvertible {
    /// Whether the value is given or provided; the value itself is not shown.
    public var description: String {
        switch source {
        case .value: Redaction.mask
        case .provider: "provider"
        }
    }
}
