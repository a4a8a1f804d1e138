// SPDX-License-Identifier: MIT

public import HTTPTypes

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What a dummy answers.
///
/// It is treated like a server's answer: a 401 or 500 is a failure like any other.
public struct DummyResponse: Sendable {
    /// The status.
    public var status: HTTPResponse.Status

    /// The header fields.
    public var headers: HTTPFields

    /// The body.
    public var body: Data

    /// Creates an answer from bytes.
    ///
    /// - Parameters:
    ///   - status: The status; 200 by default.
    ///   - headers: The header fields.
    ///   - body: The body.
    public init(status: HTTPResponse.Status = .ok, headers: HTTPFields = [:], body: Data = Data()) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// An answer with a status and no body.
    ///
    /// - Parameters:
    ///   - status: The status.
    ///   - headers: The header fields.
    /// - Returns: The answer.
    public static func status(_ status: HTTPResponse.Status, headers: HTTPFields = [:]) -> DummyResponse {
        DummyResponse(status: status, headers: headers)
    }

    /// An answer with a model as its JSON body.
    ///
    /// - Parameters:
    ///   - status: The status; 200 by default.
    ///   - headers: The header fields; `Content-Type` is added when missing.
    ///   - body: The model.
    /// - Returns: The answer.
    /// - Throws: An `EncodingError` when the model cannot be encoded.
    public static func json(
        status: HTTPResponse.Status = .ok,
        headers: HTTPFields = [:],
        body: some Encodable
    ) throws -> DummyResponse {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return DummyResponse(
            status: status,
            headers: headers.adding("application/json"),
            body: try encoder.encode(body)
        )
    }

    /// An answer with a text body.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - status: The status; 200 by default.
    ///   - headers: The header fields; `Content-Type` is added when missing.
    /// - Returns: The answer.
    public static func text(
        _ text: String,
        status: HTTPResponse.Status = .ok,
        headers: HTTPFields = [:]
    ) -> DummyResponse {
        DummyResponse(status: status, headers: headers.adding("text/plain; charset=utf-8"), body: Data(text.utf8))
    }
}

extension HTTPFields {
    fileprivate func adding(_ contentType: String) -> HTTPFields {
        var fields = self
        if fields[.contentType] == nil {
            fields[.contentType] = contentType
        }
        return fields
    }
}
