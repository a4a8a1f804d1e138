// SPDX-License-Identifier: MIT

extension CallConfigurable {
    /// Sets the cache policy of calls.
    ///
    /// A policy of a manager or a server applies to GET and HEAD only; that of an API or a call applies to any method.
    ///
    /// - Parameter policy: The policy; the rules of HTTP by default. Without one, calls do not use the cache.
    /// - Returns: A changed copy.
    public consuming func cache(_ policy: CachePolicy = .http) -> Self {
        options[.cachePolicy] = policy
        return self
    }

    /// Sets the user whose entries calls read and write.
    ///
    /// Without it, calls are separated by the digest of their credentials, so that a new token starts with an empty
    /// cache. With it, entries outlive the token. The cache does not see credentials that an attempt interceptor adds:
    /// set the user in that case.
    ///
    /// - Parameter partition: For example the user's identifier; it is stored only as part of a digest.
    /// - Returns: A changed copy.
    public consuming func cachePartition(_ partition: String) -> Self {
        options[.cachePartition] = partition
        return self
    }

    /// Adds tags to stored responses, by which they can be selected.
    ///
    /// - Parameter tags: The tags.
    /// - Returns: A changed copy.
    public consuming func cacheTags(_ tags: String...) -> Self {
        options[.cacheTags, default: []].formUnion(tags)
        return self
    }

    /// Adds stored responses that a successful call invalidates.
    ///
    /// They are revalidated before their next use.
    ///
    /// ```swift
    /// manager.apis[.placeOrder] = API(.post, "/orders").invalidates(.api(.orders))
    /// ```
    ///
    /// - Parameter selections: The responses to invalidate.
    /// - Returns: A changed copy.
    public consuming func invalidates(_ selections: CacheSelection...) -> Self {
        options[.invalidates, default: []] += selections
        return self
    }
}

extension CallOptionKey<CachePolicy> {
    static var cachePolicy: Self { Self("cache", comparison: .ofPolicies) { $0.summary } }
}

extension CachePolicy {
    fileprivate var summary: String {
        "\(mode)" + (isInMemory ? ", in memory" : "") + (keepsModels ? ", keeping models" : "")
    }
}

extension CallOptionKey<CachePolicy>.Comparison {
    /// Compares policies by their values if they have neither a closure nor texts.
    fileprivate static var ofPolicies: Self {
        Self(
            areEqual: { $0 == $1 && $0.hasComparableParts && $1.hasComparableParts },
            hash: { policy, hasher in
                hasher.combine(policy.mode)
                hasher.combine(policy.maxAge)
            }
        )
    }
}

extension CallOptionKey<String> {
    static var cachePartition: Self { Self("cache partition") }
}

extension CallOptionKey<Set<String>> {
    static var cacheTags: Self {
        Self("cache tags", join: { $0.union($1) }, describe: { $0.sorted().joined(separator: ", ") })
    }
}

extension CallOptionKey<[CacheSelection]> {
    static var invalidates: Self { Self("invalidates", join: { $0 + $1 }, describe: { "\($0.count)" }) }
}

extension CallOptionKey<Bool> {
    static var usesCacheUnlessDenied: Self { Self("cache unless denied", comparison: .byValue) { "\($0)" } }
}
