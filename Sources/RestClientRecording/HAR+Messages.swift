// SPDX-License-Identifier: MIT

import RestClient
public import RestEssentials

extension HAR {
    /// A request.
    public struct Request: Sendable, Hashable {
        /// The HTTP method.
        public var method: String
        /// The absolute URL, without a fragment.
        public var url: String
        /// The HTTP version, as in `HTTP/1.1`.
        public var httpVersion = "HTTP/1.1"
        /// The header fields, in order.
        public var headers: [Field] = []
        /// The body; `nil` if there was none.
        public var body: Body?

        var query: [Field] {
            QueryItems.decode(HTTPURL.query(of: url) ?? "").map { Field($0.name, $0.value) }
        }
    }

    /// A response, or the reason why there was none.
    public struct Response: Sendable, Hashable {
        /// The status code; zero if there was no response.
        public var status: Int
        var statusText = ""
        /// The HTTP version, as in `HTTP/1.1`.
        public var httpVersion = "HTTP/1.1"
        /// The header fields, in order.
        public var headers: [Field] = []
        /// The body, with its content coding undone.
        public var body = Body()
        /// The reason why there was no response.
        ///
        /// The format has no member for it.
        public var error: String?
    }

    /// A body, written as text if it is UTF-8 and in Base64 otherwise.
    public struct Body: Sendable, Hashable {
        /// The bytes.
        public var bytes: Data
        /// The media type.
        public var mimeType: String

        init(_ bytes: Data = Data(), mimeType: String = "") {
            self.bytes = bytes
            self.mimeType = mimeType
        }

        /// The bytes as text; `nil` if they are not UTF-8.
        public var text: String? { String(validating: bytes, as: UTF8.self) }
    }
}

// MARK: - Coding

extension HAR.Request: HARCodable {
    private enum CodingKeys: String, CodingKey {
        case method, url, httpVersion, cookies, headers, queryString, postData, headersSize, bodySize
    }

    private struct PostData: Codable {
        var mimeType: String?
        var text: String?
        var params: [HARCoded<HAR.Field>]?
        var encoding: String?

        enum CodingKeys: String, CodingKey {
            case mimeType, text, params
            // The format has no encoding here; names of custom members begin with an underscore.
            case encoding = "_encoding"
        }
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        method = try container.decode(String.self, forKey: .method)
        url = try container.decode(String.self, forKey: .url)
        httpVersion = try container.decodeIfPresent(String.self, forKey: .httpVersion) ?? ""
        headers = try container.decodeIfPresent([HAR.Field].self, forKey: .headers) ?? []
        body = try container.decodeIfPresent(PostData.self, forKey: .postData)
            .map { post in
                let bytes = post.text.map { HAR.Body.bytes($0, encoding: post.encoding) }
                // Browsers write a form as its fields alone.
                let form = (post.params ?? [])
                    .map { "\(PercentEncoding.encode($0.value.name))=\(PercentEncoding.encode($0.value.value))" }
                return HAR.Body(bytes ?? Data(form.joined(separator: "&").utf8), mimeType: post.mimeType ?? "")
            }
    }

    func encode(to encoder: any Encoder) throws {
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

extension HAR.Response: HARCodable {
    private enum CodingKeys: String, CodingKey {
        case status, statusText, httpVersion, cookies, headers, content, redirectURL, headersSize, bodySize
        case error = "_error"
    }

    private struct Content: Codable {
        // Not read, and not an integer in the archives of some tools.
        var size: Double?
        var mimeType: String?
        var text: String?
        var encoding: String?
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        // Some tools write no status for a request that was blocked or interrupted.
        status = try container.decodeIfPresent(Int.self, forKey: .status) ?? 0
        statusText = try container.decodeIfPresent(String.self, forKey: .statusText) ?? ""
        httpVersion = try container.decodeIfPresent(String.self, forKey: .httpVersion) ?? ""
        headers = try container.decodeIfPresent([HAR.Field].self, forKey: .headers) ?? []
        let content = try container.decodeIfPresent(Content.self, forKey: .content)
        body = HAR.Body(
            content?.text.map { HAR.Body.bytes($0, encoding: content?.encoding) } ?? Data(),
            mimeType: content?.mimeType ?? ""
        )
        // Other tools write values of other types there.
        error = try? container.decodeIfPresent(String.self, forKey: .error)
    }

    func encode(to encoder: any Encoder) throws {
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
    /// A text that is not valid Base64 is taken as it is.
    fileprivate static func bytes(_ text: String, encoding: String?) -> Data {
        guard encoding?.lowercased() == "base64" else {
            return Data(text.utf8)
        }
        // Some tools break Base64 into lines.
        return Data(base64Encoded: text) ?? Data(base64Encoded: text.filter { !$0.isWhitespace }) ?? Data(text.utf8)
    }

    fileprivate var written: (text: String, encoding: String?) {
        text.map { ($0, nil) } ?? (bytes.base64EncodedString(), "base64")
    }
}
