// SPDX-License-Identifier: MIT

import RestEssentials

extension CachePolicy {
    /// Returns the policy, storing only the responses that a closure allows.
    ///
    /// ```swift
    /// manager.apis[.job] = API(.get, "/jobs/{id}").cache(.http.storing { $0.headers[.eTag] != nil })
    /// ```
    ///
    /// The closure is called for responses that would be stored otherwise, and not for a 304, which confirms what is
    /// stored. ``Response/cache`` says so if it refuses one (``CacheRefusal/unwanted``). What was stored before stays.
    ///
    /// - Parameter isWanted: Returns true for a response to store. It may be called on any thread.
    /// - Returns: The changed policy. Policies that differ only in this are equal.
    public func storing(where isWanted: @escaping @Sendable (RawResponse) -> Bool) -> CachePolicy {
        with { $0.details.value.condition.call = isWanted }
    }

    /// Returns the policy, leaving query items out of the key under which responses are stored and found.
    ///
    /// Use it for items that change with each call and not the response, such as a time stamp or a tracking number.
    ///
    /// - Parameter names: The names of the items, in addition to those that the policy leaves out already.
    /// - Returns: The changed policy.
    public func keyed(ignoringQuery names: String...) -> CachePolicy {
        with { $0.details.value.ignoredQuery.formUnion(names) }
    }

    /// Returns the policy with a key that does not depend on the order of the query's items.
    ///
    /// Without it, `?a=1&b=2` and `?b=2&a=1` are two resources, as for HTTP: to some servers, such as those that edit
    /// images, the order matters. Items with the same name keep their order in any case. Queries from dictionaries are
    /// sent in the order of their names, and need no such policy.
    ///
    /// - Returns: The changed policy.
    public func keyedInAnyQueryOrder() -> CachePolicy {
        with { $0.details.value.ignoresQueryOrder = true }
    }

    /// Returns the policy with texts of your own in the key under which responses are stored and found.
    ///
    /// Use it for what the response depends on, and neither the URL nor a header field says, such as a feature flag or
    /// the version of a model.
    ///
    /// - Parameter parts: The texts, in order, behind those that the policy has already.
    /// - Returns: The changed policy.
    public func keyed(adding parts: String...) -> CachePolicy {
        with { $0.details.value.keyParts += parts }
    }

    /// Returns the policy with a key of your own in place of the URL, so that calls of several URLs share a response.
    ///
    /// ```swift
    /// let photo = try await manager.request(Data.self).url(link).cache(.http.keyed(as: "photo 7")).send()
    /// ```
    ///
    /// Use it for one resource that a server offers at several URLs, such as links whose path contains a time. Only the
    /// URL is replaced: the method, the body, the fields that `Vary` names, the texts of ``keyed(adding:)`` and the
    /// user still separate responses. So do query items that look like secrets, unless ``keyed(ignoringQuery:)``
    /// leaves them out; for a user whom only the path names, set ``CallConfigurable/cachePartition(_:)``. URLs of
    /// different origins (scheme, host and port) never share a response: one server must not speak for another.
    ///
    /// All calls with the key must be for one resource: what was stored from one URL is confirmed at another one. Set
    /// the policy for a call, or for an API whose path has no placeholders.
    ///
    /// A successful unsafe request invalidates what is stored for its URL, and what is stored under a key only if its
    /// own policy has that key, as in `.cache(.http.keyed(as: "photo 7"))`. Other calls can name such responses by API,
    /// tag or path (``CallConfigurable/invalidates(_:)``).
    ///
    /// - Parameter key: The key; it may be any text.
    /// - Returns: The changed policy.
    public func keyed(as key: String) -> CachePolicy {
        with { $0.details.value.ownKey = key }
    }

    func keyedURL(_ url: String) -> String {
        if let ownKey {
            // No URL that is sent has a space.
            return "\(Self.origin(of: url)) \(PercentEncoding.encode(ownKey))"
        }
        var keyed = url
        if !ignoredQuery.isEmpty {
            keyed = QueryItems.rewriting(url, omittingEmpty: false) { items in
                items.filter { !ignoredQuery.contains(foreign: PercentEncoding.decode($0.name, plusIsSpace: false)) }
            }
        }
        return details.value.ignoresQueryOrder ? QueryItems.sorting(keyed) : keyed
    }

    /// Returns the secret items of a URL's query that its key leaves out because a text replaces the URL.
    ///
    /// They distinguish users, as header fields with credentials do.
    func keyedSecrets(of url: String) -> String? {
        ownKey == nil ? nil : Redaction.secretItems(of: url, except: ignoredQuery)
    }

    private static func origin(of url: String) -> String {
        (try? HTTPURL(sent: url))?.origin ?? url
    }
}
