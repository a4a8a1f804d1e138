// SPDX-License-Identifier: MIT

extension CallConfigurable {
    /// Declares that sending the request twice has the same effect as sending it once, whatever its method.
    ///
    /// ```swift
    /// manager.apis[.search] = API(.post, "/search").idempotent()
    /// ```
    ///
    /// It is then repeated like a `PUT`: by a retry policy, after a lost connection, with a fresh token, by a stream or
    /// a download that continues, by another server of a fallback, and by a run with a journal, which stores no record
    /// of it. Only the server's documentation can tell whether a `POST` or a `PATCH` is such a request: a search is,
    /// and so is an order whose body names an identifier that the server accepts once.
    ///
    /// - Parameter isIdempotent: Pass `false` to revoke the declaration of an outer level. Defaults to `true`.
    /// - Returns: A changed copy.
    public consuming func idempotent(_ isIdempotent: Bool = true) -> Self {
        options[.isIdempotent] = isIdempotent
        return self
    }
}

extension CallOptionKey<Bool> {
    static var isIdempotent: Self { Self("idempotent", comparison: .byValue) { "\($0)" } }
}
