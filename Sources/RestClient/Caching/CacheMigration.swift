// SPDX-License-Identifier: MIT

public import RestEssentials

/// The way in which stored bodies of an older form are brought into the form of the present model.
///
/// Any two of them are equal, as closures cannot be compared: equal calls must be able to share a request.
struct CacheMigration: Sendable, Hashable {
    /// Makes a body of the present form of a stored one; `nil` when there is no such closure.
    var migrate: (@Sendable (Data) throws -> Data?)?

    static func == (_: CacheMigration, _: CacheMigration) -> Bool { true }

    func hash(into _: inout Hasher) {}

    /// The body in its new form; `nil` when there is none.
    ///
    /// A part of a body cannot be understood by itself, and what a server or a dummy says now is never of an older
    /// form.
    func body(instead response: RawResponse) -> Data? {
        guard response.source.isCache, response.status != .partialContent, !response.body.isEmpty else {
            return nil
        }
        return try? migrate?(response.body)
    }
}

extension CachePolicy {
    /// The same policy, with a way to bring stored bodies into the form that the model of today has.
    ///
    /// Without it a stored body that does not decode any more, say because the program was updated, is a miss. With it
    /// the closure is given that body first; what it makes of it is decoded, delivered, and stored in the place of the
    /// old body, with its age and validators: the server is not asked. When the result does not decode either, it is a
    /// miss as before.
    ///
    /// ```swift
    /// manager.apis[.orders] = API(.get, "/orders").cache(.http.migrating { old in
    ///     try JSONEncoder().encode(JSONDecoder().decode([OldOrder].self, from: old).map(Order.init))
    /// })
    /// ```
    ///
    /// It is not called for what decodes, nor for the responses of servers and dummies. Its result must be right for
    /// every model that the response is decoded to.
    ///
    /// - Parameter migrate: Makes a body of today's form of a stored one; `nil`, or what it throws, means that it
    ///   cannot. It is called on whatever thread reads the cache.
    /// - Returns: The changed policy. Policies that differ only in this are equal.
    public func migrating(_ migrate: @escaping @Sendable (Data) throws -> Data?) -> CachePolicy {
        var policy = self
        policy.migration = CacheMigration(migrate: migrate)
        return policy
    }
}

extension StoredResponse {
    /// The response with its body in another form of the same state.
    ///
    /// The server's validator still tells whether that state has changed, but no longer names these very bytes: it
    /// becomes a weak one, so that no part is ever put together with them.
    func migrated(to body: Data) -> StoredResponse {
        var head = head
        head.bodyID = .random(in: .min ... .max)
        for name in StoredFields.ofTheBytes {
            head.headers[name] = nil
        }
        if let tag = head.headers[.eTag], EntityTag(tag)?.isWeak == false {
            head.headers[.eTag] = "W/\(tag)"
        }
        var entry = entry
        entry.body = body
        return StoredResponse(key: key, head: head, entry: entry)
    }
}
