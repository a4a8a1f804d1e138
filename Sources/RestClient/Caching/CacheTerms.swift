// SPDX-License-Identifier: MIT

import HTTPTypes
import Synchronization

final class CacheTerms: PolicyPart {
    let policy: CachePolicy

    /// The row that a call with these terms found last; equal calls share their terms.
    private let row = Mutex<RecalledRow?>(nil)

    private init(_ policy: CachePolicy) {
        self.policy = policy
    }

    /// Returns the row that an equal call found last; `nil` if there is none, or its store is no longer that of the
    /// cache.
    func row(in place: ResponseCache.Place) -> RecalledRow? {
        row.withLock { $0 }.flatMap { $0.isKept(in: place) ? $0 : nil }
    }

    /// Keeps a row for equal calls.
    func keep(_ row: RecalledRow) {
        self.row.withLock { $0 = row }
    }

    /// Creates the terms from the options of a call; `nil` if it does not use the cache.
    ///
    /// A policy of a manager or a server applies to GET and HEAD only; that of an API or a call to any method.
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
    var cache: CachePolicy { part(CacheTerms.self)?.policy ?? .networkOnly }

    var usesCache: Bool { part(CacheTerms.self) != nil }

    var cacheTags: Set<String> { options[.cacheTags] ?? [] }
}

extension CallContext {
    var invalidates: [CacheSelection] { options[.invalidates] ?? [] }
}
