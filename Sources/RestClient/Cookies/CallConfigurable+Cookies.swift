// SPDX-License-Identifier: MIT

extension CallConfigurable {
    /// Keeps cookies of responses in a jar, and sends those that belong to a request; none are kept if no level sets a
    /// jar.
    ///
    /// Redirects and further attempts send what the responses before them set. A `Cookie` field of a level is sent in
    /// place of those of the jar. Like other credentials, cookies keep users apart in the cache and are masked.
    ///
    /// - Parameter jar: The jar; `nil` for none, whatever an outer level says.
    /// - Returns: A changed copy.
    public consuming func cookies(_ jar: CookieJar?) -> Self {
        option(.cookies, jar)
    }
}

extension CallOptionKey<CookieJar?> {
    static var cookies: Self {
        Self(
            "cookies",
            comparison: Comparison(
                areEqual: { $0 === $1 },
                hash: { $1.combine($0.map { ObjectIdentifier($0) }) }
            ),
            needs: .cookies,
            describe: { $0 == nil ? "none" : "a jar" }
        )
    }
}
