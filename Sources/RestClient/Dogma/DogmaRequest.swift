// SPDX-License-Identifier: MIT

public import HTTPTypes
public import RestEssentials

/// The call for which a dogma encodes or decodes.
public struct DogmaRequest: Sendable {
    /// The HTTP method.
    public let method: HTTPRequest.Method

    /// The alias of the API operation, when the call names one.
    public let api: String?

    /// The alias of the server, when the call names one.
    public let server: ServerAlias?

    /// The path template as it was written.
    public let template: String

    /// The names of members in the call's bodies; `nil` leaves them to the dogma.
    public let keyStrategy: KeyStrategy?

    /// The format of dates in the call's bodies; `nil` leaves it to the dogma.
    public let dateStrategy: DateStrategy?

    /// The rest of the request; `nil` while its body is being encoded.
    var content: Content?

    struct Content: Sendable {
        let url: String
        let headers: HTTPFields
        let body: Data?
        /// The header fields with credentials, whatever their names.
        let secretFields: Set<HTTPField.Name>
    }

    func with(url: String, headers: HTTPFields, body: Data?, secretFields: Set<HTTPField.Name>) -> DogmaRequest {
        var request = self
        request.content = Content(url: url, headers: headers, body: body, secretFields: secretFields)
        return request
    }

    var hasStrategy: Bool { keyStrategy != nil || dateStrategy != nil }

    // MARK: - Content

    /// The absolute URL, before interceptors; `nil` while the request's body or the body of an error is coded.
    public var url: String? { content?.url }

    /// The items of the URL's query, decoded, in order.
    public var query: [(name: String, value: String)] {
        QueryItems.decode(content.flatMap { HTTPURL.query(of: $0.url) } ?? "")
    }

    /// The header fields, before interceptors and without those of tokens; empty as long as there is no ``url``.
    public var headers: HTTPFields { content?.headers ?? [:] }

    /// The body; `nil` if there is none, if it is a file, a form or a stream, or as long as there is no ``url``.
    public var body: Data? { content?.body }
}

extension DogmaRequest: MirroredByDescription {
    /// The method and the URL or the template, the header fields and the length of the body, with secrets masked.
    public var description: String {
        let shown = headers.masking(content?.secretFields ?? [])
        return Redaction.request(method, url ?? template, shown, body: body.map { "\($0.count) bytes" })
    }
}
