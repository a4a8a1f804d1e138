// SPDX-License-Identifier: MIT

import HTTPTypes

extension StoredResponse {
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
