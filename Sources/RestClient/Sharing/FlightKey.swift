// SPDX-License-Identifier: MIT

import HTTPTypes
import JobGraphs
import RestEssentials

/// The parts of a request that two calls must have in common to share it.
struct FlightKey<Variant: Hashable & Sendable>: Hashable, Sendable {
    private let method: HTTPRequest.Method
    private let url: String
    private let headers: HTTPFields
    private let body: Data?
    private let variant: Variant
    private let acceptedStatuses: StatusSet
    private let responseLimit: Int
    private let redirects: RedirectPolicy
    /// The user whose response a call without a cache wants.
    private let partition: String?
    /// A call of high priority does not wait for a request of a lower one.
    private let priority: JobPriority
    /// The interceptors and policies that change requests and responses on the way, and how often they are sent.
    private let attemptInterceptors: ObjectIdentifier?
    private let attempts: Int?
    /// The dummies that may respond: one test must not get those of another.
    private let dummyMode: DummyMode?
    private let scope: String?
    private let dummyCount: Int

    init(_ request: OutgoingRequest, variant: Variant) {
        let policy = request.call.policy
        method = request.method
        url = request.url
        headers = request.headers
        body = request.body
        self.variant = variant
        acceptedStatuses = policy.acceptedStatuses
        responseLimit = policy.responseLimit
        redirects = policy.redirects
        partition = policy.cachePartition
        priority = policy.priority
        attemptInterceptors = policy.options.identity(of: .attemptInterceptors)
        attempts = policy.options[.retry]?.attempts
        dummyMode = policy.dummies?.mode
        scope = policy.scopePartition
        dummyCount = policy.dummies?.registries.count ?? 0
    }
}
