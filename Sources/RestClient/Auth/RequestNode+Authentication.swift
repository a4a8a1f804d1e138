// SPDX-License-Identifier: MIT

extension RequestNode {
    /// Sets how the call proves who makes it, whatever its API, its server and its manager say.
    ///
    /// - Parameter authentication: The way; `.anonymous` for no token.
    /// - Returns: A changed copy.
    public consuming func authentication(_ authentication: Authentication) -> Self {
        specification.authentication = authentication
        return self
    }

    /// Sends tokens of a source in the `Authorization` field (RFC 6750), refreshed when they are over or refused.
    ///
    /// - Parameter source: Where the tokens come from.
    /// - Returns: A changed copy.
    public consuming func bearer(_ source: TokenSource) -> Self {
        authentication(.bearer(source))
    }
}
