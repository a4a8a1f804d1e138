// SPDX-License-Identifier: MIT

import HTTPTypes
import RestClient

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A line of input: one request, in the terms of the Fetch standard.
struct WireRequest: Decodable {
    /// The values of `redirect`: the three modes of the Fetch standard.
    enum Redirect: String, Decodable {
        case follow, manual, error
    }

    /// The values of `cacheMode`: the six modes of the Fetch standard.
    enum CacheMode: String, Decodable {
        case standard = "default"
        case noStore = "no-store"
        case reload
        case noCache = "no-cache"
        case forceCache = "force-cache"
        case onlyIfCached = "only-if-cached"
    }

    let id: Int
    let method: String?
    let url: String
    let headers: [[String]]?
    let body: String?
    let bodyBase64: String?
    let redirect: Redirect?
    let cacheMode: CacheMode?
    let timeoutMs: Int?

    /// The same request as the library describes it.
    func node(for manager: RestClientManager) throws -> RequestNode<Data> {
        let text = method ?? "GET"
        guard let token = HTTPRequest.Method(rawValue: text) else {
            throw WireError(text: "'\(text)' is no method")
        }
        var node = manager.request()
            .url(url)
            .method(token)
            // Bytes as they are, and no `Accept` that nobody asked for.
            .dogma(.raw)
            .accepting(.any)
            .redirects((redirect ?? .follow).policy)
            .cache((cacheMode ?? .standard).policy)
        for field in headers ?? [] {
            guard field.count == 2, let name = HTTPField.Name(field[0]) else {
                throw WireError(text: "\(field) is no header field")
            }
            node = node.addingHeader(name, field[1])
        }
        if let bytes = try bytes() {
            node = node.body(bytes, contentType: nil)
        }
        if let timeoutMs {
            node = node.timeout(.milliseconds(timeoutMs))
        }
        return node
    }

    private func bytes() throws -> Data? {
        guard let bodyBase64 else {
            return body.map { Data($0.utf8) }
        }
        guard let bytes = Data(base64Encoded: bodyBase64) else {
            throw WireError(text: "bodyBase64 is not base64")
        }
        return bytes
    }
}

extension WireRequest.Redirect {
    fileprivate var policy: RedirectPolicy {
        switch self {
        case .follow: .follow(limit: 20)
        case .manual: .manual
        case .error: .refuse
        }
    }
}

extension WireRequest.CacheMode {
    fileprivate var policy: CachePolicy {
        switch self {
        case .standard: .http
        case .noCache: .revalidate
        case .noStore: .networkOnly
        case .reload: .reload
        case .forceCache: .elseNetwork()
        case .onlyIfCached: .cacheOnly()
        }
    }
}

/// An error in a line of input.
struct WireError: Error, CustomStringConvertible {
    let text: String

    var description: String { text }
}
