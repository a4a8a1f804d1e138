// SPDX-License-Identifier: MIT

import RestClient

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

    /// The values of `retry`.
    struct Retry: Decodable {
        static let members = Members(["attempts", "baseMs", "maxMs", "jitter"])

        let attempts: Int
        let baseMs: Int?
        let maxMs: Int?
        let jitter: Bool?
    }

    static let members = Members(
        Route.names.union([
            "id", "method", "url", "headers", "body", "bodyBase64", "redirect", "cacheMode", "timeoutMs", "bodyFile",
            "multipart", "encoding", "stream", "take", "reconnect", "cancelAfterMs", "retry", "attemptTimeoutMs", "api",
            "server", "path", "parameters", "query", "pages", "downloadTo", "resume", "progress", "websocket", "send",
            "protocols", "hedgeAfterMs",
        ]),
        nested: [
            "multipart": FormPart.members, "retry": Retry.members, "pages": WirePages.members,
            "send": SocketFrame.members,
        ]
    )

    let id: Int

    // The target.
    let method: String?
    let url: String?
    let api: String?
    let server: String?
    /// The path below a server, or the values of an API's placeholders by name.
    let path: JSONValue?
    let parameters: [String: JSONValue]?
    let query: JSONValue?

    // The content.
    let headers: [[String]]?
    let body: String?
    let bodyBase64: String?
    let bodyFile: String?
    let multipart: [FormPart]?
    let encoding: String?

    // How it is sent.
    let redirect: Redirect?
    let cacheMode: CacheMode?
    let timeoutMs: Int?
    let attemptTimeoutMs: Int?
    let cancelAfterMs: Int?
    let retry: Retry?
    let hedgeAfterMs: Int?

    // How its response is read.
    let stream: String?
    let reconnect: Bool?
    let take: Int?
    let pages: WirePages?
    let downloadTo: String?
    let resume: Bool?
    let progress: Bool?

    // A WebSocket.
    let websocket: Bool?
    let send: [SocketFrame]?
    let protocols: [String]?
}

extension WireRequest {
    /// True if what comes back takes longer than one response.
    var isOfManyParts: Bool {
        stream != nil || pages != nil || downloadTo != nil || websocket == true
    }
}

extension WireRequest.Redirect {
    var policy: RedirectPolicy {
        switch self {
        case .follow: .follow(limit: 20)
        case .manual: .manual
        case .error: .refuse
        }
    }
}

extension WireRequest.CacheMode {
    var policy: CachePolicy {
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

extension WireRequest.Retry {
    var policy: RetryPolicy {
        var policy = RetryPolicy(attempts: attempts)
        policy.backoff.first = baseMs.map { .milliseconds($0) } ?? policy.backoff.first
        policy.backoff.longest = maxMs.map { .milliseconds($0) } ?? policy.backoff.longest
        policy.backoff.jitter = jitter == false ? 0 : policy.backoff.jitter
        return policy
    }

    /// The same for a feed, whose attempts are the connections in succession that bring nothing.
    var feedPolicy: EventStreamPolicy {
        var policy = EventStreamPolicy()
        policy.failureLimit = max(0, attempts - 1)
        policy.backoff.first = baseMs.map { .milliseconds($0) } ?? policy.backoff.first
        policy.backoff.longest = maxMs.map { .milliseconds($0) } ?? policy.backoff.longest
        policy.backoff.jitter = jitter == false ? 0 : policy.backoff.jitter
        return policy
    }
}
