// SPDX-License-Identifier: MIT

import HTTPTypes
import RestClient

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension WireRequest {
    /// The same request as the library describes it.
    ///
    /// - Parameters:
    ///   - node: A node without a target.
    ///   - usesCache: True if responses may come from the cache.
    /// - Returns: The node.
    /// - Throws: An error that names the field which is not supported or malformed.
    func described<Model>(_ node: RequestNode<Model>, usesCache: Bool) throws -> RequestNode<Model> {
        var node = try addressed(node)
            .redirects((redirect ?? .follow).policy)
            .cache(usesCache ? (cacheMode ?? .standard).policy : .networkOnly)
        for (name, value) in try HeaderPair.all(headers) {
            node = node.header(name, value, adding: true)
        }
        if let body = try requestBody() {
            node = node.body(body)
        }
        if let encoding {
            node = node.compressingBody(try Self.coding(encoding))
        }
        if let timeoutMs {
            node = node.timeout(.milliseconds(timeoutMs))
        }
        if let attemptTimeoutMs {
            node = node.timeouts(attempt: .milliseconds(attemptTimeoutMs))
        }
        if let retry {
            node = node.retry(retry.policy)
        }
        if let hedgeAfterMs {
            // The field asks for a second request, whatever the budget has left.
            var hedging = Hedging.after(.milliseconds(hedgeAfterMs))
            hedging.budget = 1
            node = node.hedging(hedging)
        }
        // A response that is accepted is not attempted again, and no failure of its server.
        return retry == nil && url != nil ? node.accepting(.any) : node.accepting(StatusSet(200..<400))
    }

    static func method(_ text: String) throws -> HTTPRequest.Method {
        guard let method = HTTPRequest.Method(rawValue: text) else {
            throw WireError(text: "'\(text)' is no method")
        }
        return method
    }

    private func addressed<Model>(_ node: RequestNode<Model>) throws -> RequestNode<Model> {
        guard [url, api, server].count(where: { $0 != nil }) == 1 else {
            throw WireError(text: "a request needs one of url, api and server")
        }
        var node = node
        if let url {
            node = node.url(url)
        } else if let api {
            node = node.api(APIAlias(rawValue: api))
        } else if let server {
            node = node.server(ServerAlias(rawValue: server))
        }
        switch path {
        case nil, .null: break
        case .string(let path) where server != nil: node = node.endpoint(PathTemplate(path))
        case .object(let values) where url == nil: node = values.reduce(node) { $0.parameter($1.key, $1.value) }
        default: throw WireError(text: "path is the text below a server, or the values of an API's placeholders")
        }
        for (name, value) in parameters ?? [:] {
            node = node.parameter(name, value)
        }
        if let method {
            node = node.method(try Self.method(method))
        }
        return try queried(node)
    }

    /// Adds the query: an object, or a list of names and values.
    private func queried<Model>(_ node: RequestNode<Model>) throws -> RequestNode<Model> {
        switch query {
        case nil, .null:
            return node
        case .object(let items):
            return node.query(items as [String: any JSONValueConvertible])
        case .array(let pairs):
            return try pairs.reduce(node) { node, pair in
                guard let name = pair[0]?.stringValue, let value = pair[1] else {
                    throw WireError(text: "\(pair) is no query item")
                }
                return node.query(name, value)
            }
        default:
            throw WireError(text: "query is an object, or a list of names and values")
        }
    }

    // MARK: - Body

    private static func coding(_ name: String) throws -> RequestCoding {
        switch name {
        case "gzip": .gzip
        case "deflate": .deflate
        default: throw UnsupportedField(name: "encoding \(name)")
        }
    }

    /// The body, which has no content type of its own, unless it is a form.
    private func requestBody() throws -> RequestBody? {
        var bodies: [RequestBody] = []
        if let body {
            bodies.append(.bytes(Data(body.utf8), contentType: nil))
        }
        if let bodyBase64 {
            guard let bytes = Data(base64Encoded: bodyBase64) else {
                throw WireError(text: "bodyBase64 is not base64")
            }
            bodies.append(.bytes(bytes, contentType: nil))
        }
        if let bodyFile {
            var body = RequestBody.file(bodyFile)
            body.contentType = nil
            bodies.append(body)
        }
        if let multipart {
            bodies.append(.multipart(try multipart.reduce(into: MultipartForm()) { $0.parts.append(try $1.part) }))
        }
        guard bodies.count <= 1 else {
            throw WireError(text: "a request has one body")
        }
        return bodies.first
    }
}
