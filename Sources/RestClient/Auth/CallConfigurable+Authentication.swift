// SPDX-License-Identifier: MIT

extension CallConfigurable {
    /// Sets the authentication of calls.
    ///
    /// A value of the manager or the environment applies to registered servers only, so that its token is not sent to
    /// an arbitrary address or URL.
    ///
    /// - Parameter authentication: The authentication; `.anonymous` for no token.
    /// - Returns: A changed copy.
    public consuming func authentication(_ authentication: Authentication) -> Self {
        options[.authentication] = authentication
        return self
    }

    /// Sends tokens of a source in the `Authorization` field (RFC 6750), refreshed when they have expired or were
    /// rejected.
    ///
    /// - Parameter source: The source of the tokens.
    /// - Returns: A changed copy.
    public consuming func bearer(_ source: TokenSource) -> Self {
        authentication(.bearer(source))
    }

    /// Sets the bearer token of the `Authorization` field (RFC 6750).
    ///
    /// - Parameter token: The token; it never appears in descriptions, events or errors.
    /// - Returns: A changed copy.
    public consuming func bearer(_ token: String) -> Self {
        header(.authorization, "Bearer \(token)")
    }
}

extension CallOptionKey<Authentication> {
    static var authentication: Self { Self("authentication") { $0.description } }
}
