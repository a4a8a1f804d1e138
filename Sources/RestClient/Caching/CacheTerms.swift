// SPDX-License-Identifier: MIT

import HTTPTypes

/// The cache policy of a call that the cache has to do with.
final class CacheTerms: CallPart {
    let policy: CachePolicy

    private init(_ policy: CachePolicy) {
        self.policy = policy
    }

    /// Returns the terms by the options of a call; `nil` if the cache has nothing to do with it.
    ///
    /// A policy of a manager or a server holds for GET and HEAD only: to cache anything else is for an API or a call to
    /// say.
    static func of(_ options: CallOptions, _ method: HTTPRequest.Method) -> CacheTerms? {
        let set = options[.cachePolicy]
        let isOwn = set != nil && (options.level(of: .cachePolicy) ?? .call) >= .api
        guard isOwn || method.isRetrieval else {
            return nil
        }
        var policy = set ?? .networkOnly
        if !isOwn, policy.mode == .networkOnly, options[.usesCacheUnlessDenied] == true {
            policy = .http
        }
        return policy.mode == .networkOnly ? nil : CacheTerms(policy)
    }
}

extension CallPolicy {
    /// When the cache responds, and what the call stores.
    var cache: CachePolicy { part(CacheTerms.self)?.policy ?? .networkOnly }

    /// The labels of what the call stores.
    var cacheTags: Set<String> { options[.cacheTags] ?? [] }

    /// The stored responses that a success of the call invalidates.
    var invalidates: [CacheSelection] { options[.invalidates] ?? [] }
}
