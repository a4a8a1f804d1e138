// SPDX-License-Identifier: MIT

import HTTPTypes
import JobGraphs
import RestEssentials

/// The properties of a request that must be equal for two calls to share it.
struct FlightKey<Variant: Hashable & Sendable>: Hashable, Sendable {
    private let method: HTTPRequest.Method
    private let url: String
    private let fields: [UInt8]
    private let body: Data?
    private let variant: Variant
    private let acceptedStatuses: StatusSet
    private let responseLimit: Int
    /// The user set for the call.
    private let user: String?
    /// The credentials in the query, if a key stands for the URL.
    private let secrets: String?
    /// A call of high priority does not wait for a request of a lower one.
    private let priority: JobPriority
    /// The interceptors that change requests and responses.
    private let attemptInterceptors: ObjectIdentifier?
    /// Separates calls of different scopes, so that one test does not receive the dummies of another.
    private let scope: String?
    /// The options and parts of features that affect the response.
    private let options: [String: CallOptionDistinction]
    private let parts: [String]

    /// The key that stands for the URL, the header fields and the body.
    private let key: String?

    /// Creates the key of a request; the user's key stands for its path, its header fields and its body.
    init(_ request: OutgoingRequest, variant: Variant, key: String? = nil) {
        let policy = request.call.policy
        method = request.method
        self.key = key
        url = key == nil ? request.url : (try? HTTPURL(sent: request.url))?.origin ?? request.url
        fields = key == nil ? request.headers.bytes : []
        body = key == nil ? request.body?.bytes : nil
        self.variant = variant
        acceptedStatuses = policy.acceptedStatuses
        responseLimit = policy.responseLimit
        user = key == nil ? policy.user : policy.owner(of: request.headers, request.call.facts.request.sent)
        secrets = key == nil ? nil : Redaction.secretItems(of: request.url)
        priority = policy.priority
        attemptInterceptors = policy.options.identity(of: .attemptInterceptors)
        scope = policy.scope
        options = policy.options.distinctions
        parts = policy.parts.compactMap(\.distinction)
    }
}
