// SPDX-License-Identifier: MIT

public import RestEssentials

extension HAR {
    /// What was sent.
    public struct Request: Sendable, Hashable {
        /// The HTTP method.
        public var method: String
        /// The absolute URL, without a fragment.
        public var url: String
        /// The version of HTTP, as in `HTTP/1.1`.
        public var httpVersion: String
        /// The header fields, in order.
        public var headers: [Field]
        /// The body; `nil` when there was none.
        public var body: Body?

        /// Creates what was sent.
        ///
        /// - Parameters:
        ///   - method: The HTTP method.
        ///   - url: The absolute URL.
        ///   - httpVersion: The version of HTTP.
        ///   - headers: The header fields, in order.
        ///   - body: The body.
        public init(
            method: String,
            url: String,
            httpVersion: String = "HTTP/1.1",
            headers: [Field] = [],
            body: Body? = nil
        ) {
            self.method = method
            self.url = url
            self.httpVersion = httpVersion
            self.headers = headers
            self.body = body
        }

        /// The items of the URL's query, decoded, in order.
        public var query: [Field] {
            (URLReference(url).query ?? "").split(separator: "&")
                .map { item in
                    let name = item.prefix { $0 != "=" }
                    return Field(PercentEncoding.decode(name), PercentEncoding.decode(item.dropFirst(name.count + 1)))
                }
        }
    }

    /// What was answered.
    public struct Response: Sendable, Hashable {
        /// The status code; zero when there was no response.
        public var status: Int
        /// The words that go with the status.
        public var statusText: String
        /// The version of HTTP, as in `HTTP/1.1`.
        public var httpVersion: String
        /// The header fields, in order.
        public var headers: [Field]
        /// The body, with its content coding undone.
        public var body: Body
        /// Why there was no response; the format has no place of its own for it.
        public var error: String?

        /// Creates what was answered.
        ///
        /// - Parameters:
        ///   - status: The status code; zero when there was no response.
        ///   - statusText: The words that go with the status.
        ///   - httpVersion: The version of HTTP.
        ///   - headers: The header fields, in order.
        ///   - body: The body, with its content coding undone.
        ///   - error: Why there was no response.
        public init(
            status: Int,
            statusText: String = "",
            httpVersion: String = "HTTP/1.1",
            headers: [Field] = [],
            body: Body = Body(),
            error: String? = nil
        ) {
            self.status = status
            self.statusText = statusText
            self.httpVersion = httpVersion
            self.headers = headers
            self.body = body
            self.error = error
        }
    }

    /// A body: written as text where it is text, in Base64 elsewhere.
    public struct Body: Sendable, Hashable {
        /// The bytes.
        public var bytes: Data
        /// The media type.
        public var mimeType: String

        /// Creates a body.
        ///
        /// - Parameters:
        ///   - bytes: The bytes; none by default.
        ///   - mimeType: The media type.
        public init(_ bytes: Data = Data(), mimeType: String = "") {
            self.bytes = bytes
            self.mimeType = mimeType
        }

        /// The text, when the bytes are UTF-8.
        public var text: String? { String(validating: bytes, as: UTF8.self) }
    }
}

// MARK: - Codable

extension HAR.Request: Codable {
    private enum CodingKeys: String, CodingKey {
        case method, url, httpVersion, cookies, headers, queryString, postData, headersSize, bodySize
    }

    private struct PostData: Codable {
        var mimeType: String?
        var text: String?
        var params: [HAR.Field]?
        var encoding: String?

        enum CodingKeys: String, CodingKey {
            case mimeType, text, params
            // The format has no encoding here; names of one's own begin with a line.
            case encoding = "_encoding"
        }
    }

    /// Reads what was sent.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        method = try container.decode(String.self, forKey: .method)
        url = try container.decode(String.self, forKey: .url)
        httpVersion = try container.decodeIfPresent(String.self, forKey: .httpVersion) ?? ""
        headers = try container.decodeIfPresent([HAR.Field].self, forKey: .headers) ?? []
        body = try container.decodeIfPresent(PostData.self, forKey: .postData)
            .map { post in
                let bytes = post.text.map { HAR.Body.bytes($0, encoding: post.encoding) }
                // Browsers write a form as its fields only.
                let form = (post.params ?? [])
                    .map { "\(PercentEncoding.encode($0.name))=\(PercentEncoding.encode($0.value))" }
                return HAR.Body(bytes ?? Data(form.joined(separator: "&").utf8), mimeType: post.mimeType ?? "")
            }
    }

    /// Writes what was sent.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(method, forKey: .method)
        try container.encode(url, forKey: .url)
        try container.encode(httpVersion, forKey: .httpVersion)
        try container.encode([HAR.Field](), forKey: .cookies)
        try container.encode(headers, forKey: .headers)
        try container.encode(query, forKey: .queryString)
        if let body {
            let (text, encoding) = body.written
            let post = PostData(mimeType: body.mimeType, text: text, params: [], encoding: encoding)
            try container.encode(post, forKey: .postData)
        }
        try container.encode(-1, forKey: .headersSize)
        try container.encode(body?.bytes.count ?? 0, forKey: .bodySize)
    }
}

extension HAR.Response: Codable {
    private enum CodingKeys: String, CodingKey {
        case status, statusText, httpVersion, cookies, headers, content, redirectURL, headersSize, bodySize
        case error = "_error"
    }

    private struct Content: Codable {
        // Not read, and no whole number in the archives of some tools.
        var size: Double?
        var mimeType: String?
        var text: String?
        var encoding: String?
    }

    /// Reads what was answered.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        // Some tools write none where a request was blocked or broke off.
        status = try container.decodeIfPresent(Int.self, forKey: .status) ?? 0
        statusText = try container.decodeIfPresent(String.self, forKey: .statusText) ?? ""
        httpVersion = try container.decodeIfPresent(String.self, forKey: .httpVersion) ?? ""
        headers = try container.decodeIfPresent([HAR.Field].self, forKey: .headers) ?? []
        let content = try container.decodeIfPresent(Content.self, forKey: .content)
        body = HAR.Body(
            content?.text.map { HAR.Body.bytes($0, encoding: content?.encoding) } ?? Data(),
            mimeType: content?.mimeType ?? ""
        )
        // Other tools write other things there.
        error = try? container.decodeIfPresent(String.self, forKey: .error)
    }

    /// Writes what was answered.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(status, forKey: .status)
        try container.encode(statusText, forKey: .statusText)
        try container.encode(httpVersion, forKey: .httpVersion)
        try container.encode([HAR.Field](), forKey: .cookies)
        try container.encode(headers, forKey: .headers)
        let (text, encoding) = body.written
        let content = Content(size: Double(body.bytes.count), mimeType: body.mimeType, text: text, encoding: encoding)
        try container.encode(content, forKey: .content)
        let location = headers.first { $0.name.lowercased() == "location" }
        try container.encode(location?.value ?? "", forKey: .redirectURL)
        try container.encode(-1, forKey: .headersSize)
        try container.encode(-1, forKey: .bodySize)
        try container.encodeIfPresent(error, forKey: .error)
    }
}

extension HAR.Body {
    /// The bytes behind a text of an archive; what is no Base64 is taken as text.
    fileprivate static func bytes(_ text: String, encoding: String?) -> Data {
        guard encoding?.lowercased() == "base64" else {
            return Data(text.utf8)
        }
        // Some tools break the lines of Base64.
        return Data(base64Encoded: text) ?? Data(base64Encoded: text.filter { !$0.isWhitespace }) ?? Data(text.utf8)
    }

    fileprivate var written: (text: String, encoding: String?) {
        text.map { ($0, nil) } ?? (bytes.base64EncodedString(), "base64")
    }
}
