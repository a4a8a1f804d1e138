// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials

extension CacheKey {
    /// The key of a request whose header fields are complete, kept apart from those of other users.
    ///
    /// Whose the request is follows from its explicit partition, else from the user of its token, else from its credentials.
    ///
    /// - Parameters:
    ///   - method: The method under which the response is stored; that of the request, or GET for what answers a GET.
    ///   - request: The request.
    ///   - grant: The token that tells whose the request is; the one with which the cache was first asked by default.
    ///   - secret: Makes the digest of who is meant.
    init(_ method: HTTPRequest.Method, _ request: OutgoingRequest, as grant: TokenGrant? = nil, secret: CacheSecret) {
        let policy = request.call.policy
        let grant = grant ?? request.caching?.identity
        var owner =
            policy.cachePartition.map { "user:\($0)" }
            ?? policy.authentication?.owner(in: request.headers, of: grant)
            ?? Self.credentials(in: request.headers)
        if let scope = policy.scopePartition {
            owner = "\(scope)\n\(owner ?? "")"
        }
        self.init(
            method: method,
            url: request.url,
            body: method == .get && request.method != .get ? Data() : BodyDigest.input(request),
            dogma: policy.dogmaAlias,
            varying: Self.varying.map { SelectingFields.normalized(request.headers[values: $0.name], of: $0.key) },
            partition: owner.map(secret.digest)
        )
    }

    /// The fields by which answers to one URL commonly differ, whether or not the server says so.
    private static let varying: [(name: HTTPField.Name, key: String)] = [
        (.accept, "accept"), (.acceptLanguage, "accept-language"),
    ]

    /// Whether nobody but whom a request names by its own fields, or its policy, can be meant by what went out at last: someone
    /// may have set another user's token meanwhile, and an attempt interceptor may have added credentials.
    static func isOwnerKnown(_ headers: HTTPFields, _ ticket: CacheTicket, _ policy: CallPolicy) -> Bool {
        guard policy.cachePartition == nil else {
            return true
        }
        if let identity = ticket.identity, let sent = ticket.sent, !sent.hasUser(of: identity) {
            return false
        }
        guard let wire = ticket.wire else {
            return true
        }
        return credentials(in: wire) == credentials(in: headers)
    }

    /// The credentials of a request as one text; `nil` when it has none.
    static func credentials(in headers: HTTPFields) -> String? {
        let values = Redaction.credentialFields.flatMap { name in
            headers[values: name].map { "\(name.canonicalName):\($0)" }
        }
        return values.isEmpty ? nil : values.joined(separator: "\n")
    }
}
