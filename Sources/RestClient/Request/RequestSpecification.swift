// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials

/// Everything a request node says, apart from the type of its model.
struct RequestSpecification: Sendable {
    /// The model that a request carries.
    enum RequestModel: Sendable {
        case none
        /// Named values: the query on GET and HEAD, the body elsewhere.
        case parameters([String: JSONValue])
        /// A value that the dogma encodes.
        case encodable(any Encodable & Sendable)
        /// A body that is sent whatever the method.
        case body(any Encodable & Sendable)
        /// Bytes that are sent as they are, whatever the method.
        case bytes(Data, contentType: String?)
    }

    var target = RequestTarget()
    var method: HTTPRequest.Method?
    var pathParameters: [String: JSONValue] = [:]
    var query: [(name: String, value: JSONValue)] = []
    var queryEncoding: QueryEncoding?
    var headers: HTTPFields = [:]
    var model: RequestModel = .none
    var dogma: DogmaAlias?
    var cachePolicy: CachePolicy?
    var cachePartition: String?
    var cacheTags: Set<String> = []
    var sharesFlight: Bool?
    /// Whether the rules of HTTP hold where neither the call nor its API nor the manager says anything about the cache.
    var usesCacheUnlessDenied = false
    var timeout: Duration?
    var acceptedStatuses: StatusSet?
    var responseLimit: Int?
    var callIdentifier: String?
    var redirects: RedirectPolicy?
    var priority: JobPriority?
    var dummyMode: DummyMode?
    var authentication: Authentication?
    var isMuted = false
    /// What the request goes out with, should it be unsafe, in a run with a journal.
    var pass: JournalPass?
    /// What was wrong with an argument of a verb; reported when the request is sent.
    var defect: RestClientError?
}
