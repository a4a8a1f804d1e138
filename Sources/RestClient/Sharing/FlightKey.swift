// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials

/// What two calls must have in common to be answered by one request.
struct FlightKey: Hashable, Sendable {
    private let method: HTTPRequest.Method
    private let url: String
    private let headers: HTTPFields
    private let body: Data?
    /// Under which the response is stored; it tells users apart.
    private let cacheKey: String
    private let cachePolicy: CachePolicy
    private let acceptedStatuses: StatusSet
    private let responseLimit: Int
    private let redirects: RedirectPolicy
    /// Whose answer a call without a cache wants.
    private let partition: String?
    /// Whoever is in a hurry does not wait for a request that gives way to others.
    private let priority: JobPriority
    /// Which dummies may answer: those of one test are no concern of another one.
    private let dummyMode: DummyMode?
    private let scope: String?
    private let dummyCount: Int

    init(_ request: OutgoingRequest, cacheKey: String = "") {
        let policy = request.call.policy
        method = request.method
        url = request.url
        headers = request.headers
        body = request.body
        self.cacheKey = cacheKey
        cachePolicy = policy.cache
        acceptedStatuses = policy.acceptedStatuses
        responseLimit = policy.responseLimit
        redirects = policy.redirects
        partition = policy.cachePartition
        priority = policy.priority
        dummyMode = policy.dummies?.mode
        scope = policy.scopePartition
        dummyCount = policy.dummies?.registries.count ?? 0
    }
}

/// What a shared request brings.
struct FlightAnswer: Sendable {
    let response: RawResponse
    /// Whether it is for every caller, and not only for the one who began it.
    let isForAnyone: Bool
}
