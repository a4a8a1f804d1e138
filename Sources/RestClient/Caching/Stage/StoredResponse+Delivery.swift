// SPDX-License-Identifier: MIT

import HTTPTypes

extension StoredResponse {
    /// Returns the URL that responded; `nil` if it is that of the request.
    func url(for request: OutgoingRequest) -> String? {
        guard head.url == nil, request.call.policy.cache.ownKey != nil, head.requestURL != request.url else {
            return head.url
        }
        return head.requestURL
    }

    /// Returns the fields of the response for a call with a policy.
    func fields(_ policy: CachePolicy) -> HTTPFields {
        guard !policy.followsHTTP, head.headers.contains(.setCookie) else {
            return head.headers
        }
        // A cookie that the server set with one response must not be set again by another.
        var fields = head.headers
        fields[.setCookie] = nil
        return fields
    }
}

extension CacheExplanation {
    /// Creates the explanation of a stored response that is used.
    init(_ use: CacheUse, of stored: StoredResponse) {
        self.init(use.staleness.map { .stale($0) } ?? .fresh)
        age = use.age
        lifetime = use.lifetime
        isInMemory = stored.isInMemory
    }
}
