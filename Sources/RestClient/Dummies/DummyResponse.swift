// SPDX-License-Identifier: MIT

public import HTTPTypes
public import RestEssentials

/// The response of a dummy.
///
/// It is treated like a server's response: a 401 or 500 is a failure like any other, and a response that cannot have a
/// body, like a 204 or one to HEAD, has none.
///
/// ```swift
/// .json(Order(id: 7))
/// .status(.tooManyRequests, headers: [.retryAfter: "1"])
/// .file("Fixtures/orders.json")
/// .text("half a body").truncated()
/// .connectionReset
/// ```
///
/// An invalid value, such as a model that cannot be encoded or a file that does not exist, makes the call fail with
/// ``RestClientError/Code-swift.struct/dummyFailed``.
public struct DummyResponse: Sendable {
    /// The status.
    public var status: HTTPResponse.Status

    /// The header fields.
    public var headers: HTTPFields

    /// The body.
    public var body: Data

    package var fault: Fault?

    package var chunks: Chunks?

    /// Makes the connection that the response hands over to a call that asks for one; `nil` for plain responses.
    package var connection: (@Sendable (DummyRequest) -> any ByteSource)?

    /// The defect of an argument, which is thrown when the response is used.
    var defect: RestClientError?

    package init(status: HTTPResponse.Status = .ok, headers: HTTPFields = [:], body: Data = Data()) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// Returns a response with a status and no body.
    ///
    /// - Parameters:
    ///   - status: The status.
    ///   - headers: The header fields.
    /// - Returns: The response.
    public static func status(_ status: HTTPResponse.Status, headers: HTTPFields = [:]) -> DummyResponse {
        DummyResponse(status: status, headers: headers)
    }

    /// Returns a response with a model as its JSON body, with ISO 8601 dates.
    ///
    /// A `String` becomes a JSON string; a text that is JSON already is `bytes(text.utf8, contentType: …)`.
    ///
    /// - Parameters:
    ///   - model: The model.
    ///   - status: The status; 200 by default.
    ///   - headers: The header fields; `Content-Type` is added if it is missing.
    /// - Returns: The response.
    public static func json(
        _ model: some Encodable,
        status: HTTPResponse.Status = .ok,
        headers: HTTPFields = [:]
    ) -> DummyResponse {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return bytes(
                try (model as? JSONValue).map(JSONText.data(of:)) ?? encoder.encode(model),
                contentType: "application/json",
                status: status,
                headers: headers
            )
        } catch {
            return failing("\(type(of: model)) cannot be encoded as a dummy's body", error)
        }
    }

    /// Returns a response with a literal of values of several types as its JSON body.
    ///
    /// ```swift
    /// .json([["id": 7, "name": "Kim"], ["id": 8, "name": nil]])
    /// ```
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - status: The status; 200 by default.
    ///   - headers: The header fields; `Content-Type` is added if it is missing.
    /// - Returns: The response.
    public static func json(
        _ value: JSONValue,
        status: HTTPResponse.Status = .ok,
        headers: HTTPFields = [:]
    ) -> DummyResponse {
        let model: any Encodable = value
        return json(model, status: status, headers: headers)
    }

    /// Returns a response with named values of any types as its JSON body.
    ///
    /// ```swift
    /// .json(["id": id, "name": "Kim", "since": date])
    /// ```
    ///
    /// - Parameters:
    ///   - members: The values by name; types of your own conform to ``JSONValueConvertible``.
    ///   - status: The status; 200 by default.
    ///   - headers: The header fields; `Content-Type` is added if it is missing.
    /// - Returns: The response.
    public static func json(
        _ members: [String: any JSONValueConvertible],
        status: HTTPResponse.Status = .ok,
        headers: HTTPFields = [:]
    ) -> DummyResponse {
        json(.object(members.mapValues { $0.jsonValue }), status: status, headers: headers)
    }

    /// Returns a response that reports a problem with the media type `application/problem+json` (RFC 9457).
    ///
    /// ```swift
    /// .problem(.forbidden, title: "Out of credit", detail: "The balance is 30.", members: ["missing": 20])
    /// ```
    ///
    /// The call's error has it as ``RestClientError/problem``. What is `nil` is left out.
    ///
    /// - Parameters:
    ///   - status: The status, which is in the body too.
    ///   - type: The URL of the problem's type.
    ///   - title: A short summary of the type.
    ///   - detail: An explanation of this occurrence.
    ///   - instance: The URL of this occurrence.
    ///   - members: The members that the type adds.
    /// - Returns: The response.
    public static func problem(
        _ status: HTTPResponse.Status,
        type: String? = nil,
        title: String? = nil,
        detail: String? = nil,
        instance: String? = nil,
        members: [String: JSONValue] = [:]
    ) -> DummyResponse {
        json(
            ProblemDetails.body(status, type: type, title: title, detail: detail, instance: instance, members),
            status: status,
            headers: [.contentType: "application/problem+json"]
        )
    }

    /// Returns a response with a text body.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - status: The status; 200 by default.
    ///   - headers: The header fields; `Content-Type` is added if it is missing.
    /// - Returns: The response.
    public static func text(
        _ text: String,
        status: HTTPResponse.Status = .ok,
        headers: HTTPFields = [:]
    ) -> DummyResponse {
        bytes(text.utf8, contentType: "text/plain; charset=utf-8", status: status, headers: headers)
    }

    /// Returns a response with bytes as its body.
    ///
    /// - Parameters:
    ///   - bytes: The bytes.
    ///   - contentType: The media type; `application/octet-stream` by default.
    ///   - status: The status; 200 by default.
    ///   - headers: The header fields. They take precedence over `contentType`.
    /// - Returns: The response.
    public static func bytes(
        _ bytes: some Sequence<UInt8>,
        contentType: String = "application/octet-stream",
        status: HTTPResponse.Status = .ok,
        headers: HTTPFields = [:]
    ) -> DummyResponse {
        var headers = headers
        headers[.contentType] = headers[.contentType] ?? contentType
        return DummyResponse(status: status, headers: headers, body: Data(bytes))
    }

    /// Returns a response with the contents of a file as its body.
    ///
    /// The file is read immediately.
    ///
    /// - Parameters:
    ///   - path: The file. A relative path starts at the current directory.
    ///   - status: The status; 200 by default.
    ///   - headers: The header fields; `Content-Type` is derived from the file's name if it is missing.
    /// - Returns: The response.
    public static func file(
        _ path: String,
        status: HTTPResponse.Status = .ok,
        headers: HTTPFields = [:]
    ) -> DummyResponse {
        let url = URL(filePath: path)
        do {
            let type = MediaType.ofFile(named: url.lastPathComponent)
            return bytes(try Data(contentsOf: url), contentType: type, status: status, headers: headers)
        } catch {
            return failing("the file '\(url.path)' of a dummy cannot be read", error)
        }
    }

    /// True if a response with this status may have a body (RFC 9110, 6.4.1).
    package var allowsBody: Bool {
        status != .noContent && status != .notModified && status.kind != .informational
    }

    private static func failing(_ reason: String, _ error: any Error) -> DummyResponse {
        var response = DummyResponse()
        response.defect = RestClientError(.dummyFailed, reason, underlying: error)
        return response
    }
}

extension DummyResponse: MirroredByDescription {
    /// The status, the header fields and the length of the body, with secrets masked.
    public var description: String { Redaction.response(status, headers, body: body.count) }
}
