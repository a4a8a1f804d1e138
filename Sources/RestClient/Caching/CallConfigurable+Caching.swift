// SPDX-License-Identifier: MIT

extension CallConfigurable {
    /// Sets when the cache responds, and what it stores.
    ///
    /// What a manager or a server sets holds for GET and HEAD; an API or a call may cache anything else.
    ///
    /// - Parameter policy: The policy; the rules of HTTP by default. Without one, calls do not use the cache.
    /// - Returns: A changed copy.
    public consuming func cache(_ policy: CachePolicy = .http) -> Self {
        options[.cachePolicy] = policy
        return self
    }

    /// Sets whose entries calls read and write.
    ///
    /// Without it, calls with credentials are kept apart by the digest of their credentials, so that a new token starts
    /// with an empty cache. Name the user, and the entries outlive the token. Credentials that an attempt interceptor
    /// adds are not seen by the cache: name the user then.
    ///
    /// - Parameter partition: For example the user's identifier; it is stored only as part of a digest.
    /// - Returns: A changed copy.
    public consuming func cachePartition(_ partition: String) -> Self {
        options[.cachePartition] = partition
        return self
    }

    /// Adds labels to what calls store, by which entries can be removed together.
    ///
    /// - Parameter tags: The labels.
    /// - Returns: A changed copy.
    public consuming func cacheTags(_ tags: String...) -> Self {
        options[.cacheTags, default: []].formUnion(tags)
        return self
    }

    /// Adds stored responses that a successful call invalidates.
    ///
    /// They are marked as stale: the next call that asks for them asks the server first whether they still hold.
    ///
    /// ```swift
    /// manager.apis[.placeOrder] = API(.post, "/orders").invalidates(.api(.orders))
    /// ```
    ///
    /// - Parameter selections: What to invalidate.
    /// - Returns: A changed copy.
    public consuming func invalidates(_ selections: CacheSelection...) -> Self {
        options[.invalidates, default: []] += selections
        return self
    }
}

extension CallOptionKey<CachePolicy> {
    static var cachePolicy: Self { Self("cache") { "\($0.mode)" } }
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
    /// True if the rules of HTTP hold where no level sets a cache policy.
    static var usesCacheUnlessDenied: Self { Self("cache unless denied") { "\($0)" } }
}
